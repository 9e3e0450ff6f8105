import { CST, Lexer } from 'yaml'
import { type Explorer, Unreadable } from './explorer.ts'
import { describeShape, ShapeCollector, shapeSections } from './shape.ts'
import { article, countOf } from './shown.ts'

/** A single value may be so long; a longer one is none of a document that somebody wrote. */
const LONGEST_VALUE_CHARS = 4 * 1024 * 1024
const DEEPEST = 1000
const TOKENS_PER_STEP = 1000

/** The documents of a file: their keys, and what stands behind them. */
export const exploreYaml: Explorer = function* (file) {
  const shapes = new ShapeCollector()
  const structure = new YamlStructure(shapes)
  const lexer = new Lexer()
  // The lexer takes the end of what it is given for the end of a line, so it is given whole lines.
  let lineStart = ''
  let sinceToken = 0
  let tokens = 0
  for (const piece of file.pieces()) {
    sinceToken += piece.length
    if (sinceToken > LONGEST_VALUE_CHARS) throw new Unreadable('a value in it is too long')
    const end = piece.lastIndexOf('\n') + 1
    if (end === 0) lineStart += piece
    else {
      for (const token of lexer.lex(lineStart + piece.slice(0, end), true)) {
        structure.take(token)
        sinceToken = 0
        tokens += 1
        if (tokens % TOKENS_PER_STEP === 0) yield
      }
      lineStart = piece.slice(end)
    }
    yield
  }
  for (const token of lexer.lex(lineStart, false)) structure.take(token)
  structure.end()
  const { root } = shapes
  if (root.objects + root.arrays === 0) throw new Unreadable('it has neither keys nor lists')
  const documents = root.count === 1 ? 'The document is' : `${countOf(root.count, 'document')}, each`
  return {
    facts: [`${documents} ${article(describeShape(root))}, nested ${structure.depth} deep.`],
    sections: [...shapeSections(root)],
  }
}

/** `indent` is null within brackets. */
type Level = { readonly kind: 'map' | 'list'; readonly indent: number | null }
type Scalar = { readonly text: string; readonly isQuoted: boolean; readonly column: number }

/** Follows the tokens of YAML and tells what they mean: which is a key, which a value, and where a level ends. */
class YamlStructure {
  readonly #shapes: ShapeCollector
  #levels: Level[] = []
  /** A text that may turn out to be a key. */
  #scalar: Scalar | null = null
  /** A key or a dash stands here whose value has not come yet. */
  #isWaiting = false
  #isScalarNext = false
  #isBlockNext = false
  #column = 0
  /** Where an anchor or a tag before a key begins, because the key begins with it. */
  #property: number | null = null
  depth = 0

  constructor(shapes: ShapeCollector) {
    this.#shapes = shapes
  }

  take(source: string): void {
    const column = this.#column
    const lineStart = source.lastIndexOf('\n')
    const isMark = source === CST.SCALAR || source === CST.DOCUMENT || source === CST.FLOW_END
    if (lineStart >= 0) this.#column = source.length - lineStart - 1
    else if (!isMark) this.#column += source.length
    if (this.#isScalarNext) {
      this.#isScalarNext = false
      this.#note({ text: source, isQuoted: this.#isBlockNext, column })
      this.#isBlockNext = false
    } else this.#takeToken(source, column)
  }

  end(): void {
    this.#endScalar()
    this.#endLevels(-1)
  }

  #takeToken(source: string, column: number): void {
    switch (CST.tokenType(source)) {
      case 'scalar':
        this.#isScalarNext = true
        return
      case 'single-quoted-scalar':
      case 'double-quoted-scalar':
        this.#note({ text: source.slice(1, -1), isQuoted: true, column })
        return
      case 'alias':
        this.#note({ text: source, isQuoted: true, column })
        return
      case 'block-scalar-header':
        this.#isBlockNext = true
        return
      case 'map-value-ind':
        this.#key(column)
        return
      case 'seq-item-ind':
        this.#item(column)
        return
      case 'anchor':
      case 'tag':
        this.#property ??= column
        return
      case 'flow-map-start':
        this.#openFlow('map')
        return
      case 'flow-seq-start':
        this.#openFlow('list')
        return
      case 'flow-map-end':
      case 'flow-seq-end':
        this.#closeFlow()
        return
      case 'comma':
        this.#endFlowItem()
        return
      case 'doc-start':
      case 'doc-end':
        this.end()
        return
      case 'newline':
        this.#property = null
        if (!this.#isInFlow) this.#endScalar()
        return
      default:
        return
    }
  }

  get #isInFlow(): boolean {
    const level = this.#levels.at(-1)
    return level !== undefined && level.indent === null
  }

  #note(scalar: Scalar): void {
    this.#endScalar()
    this.#scalar = scalar
  }

  #endScalar(): void {
    const scalar = this.#scalar
    if (scalar === null) return
    this.#scalar = null
    this.#property = null
    if (this.#levels.at(-1)?.kind === 'map' && !this.#isWaiting) return
    this.#isWaiting = false
    if (scalar.isQuoted) this.#shapes.text(scalar.text)
    else if (scalar.text === '~' || scalar.text === 'null') this.#shapes.null()
    else this.#shapes.written(scalar.text)
  }

  #endWaiting(): void {
    if (this.#isWaiting) this.#shapes.null()
    this.#isWaiting = false
  }

  #key(column: number): void {
    const scalar = this.#scalar
    this.#scalar = null
    const indent = this.#property ?? scalar?.column ?? column
    this.#property = null
    if (this.#isInFlow) {
      if (this.#levels.at(-1)?.kind === 'map') this.#tellKey(scalar)
      return
    }
    this.#endLevels(indent)
    const top = this.#levels.at(-1)
    if (top?.kind === 'list' && top.indent === indent) this.#pop()
    const level = this.#levels.at(-1)
    if (level?.kind === 'map' && level.indent === indent) this.#endWaiting()
    else this.#push({ kind: 'map', indent })
    this.#tellKey(scalar)
  }

  #tellKey(scalar: Scalar | null): void {
    this.#endWaiting()
    this.#shapes.key(scalar?.text ?? '?')
    this.#isWaiting = true
  }

  #item(column: number): void {
    this.#endScalar()
    this.#endLevels(column)
    const top = this.#levels.at(-1)
    if (top?.kind === 'list' && top.indent === column) this.#endWaiting()
    else this.#push({ kind: 'list', indent: column })
    this.#isWaiting = true
  }

  #openFlow(kind: Level['kind']): void {
    this.#endScalar()
    this.#push({ kind, indent: null })
  }

  #closeFlow(): void {
    if (!this.#isInFlow) return
    this.#endFlowItem()
    this.#pop()
  }

  #endFlowItem(): void {
    if (!this.#isInFlow) return
    const isName = this.#levels.at(-1)?.kind === 'map' && !this.#isWaiting && this.#scalar !== null
    if (isName) {
      this.#tellKey(this.#scalar)
      this.#scalar = null
    }
    this.#endScalar()
    this.#endWaiting()
  }

  #push(level: Level): void {
    if (this.#levels.length === DEEPEST) throw new Unreadable(`it is nested more than ${DEEPEST} deep`)
    this.#levels.push(level)
    this.#isWaiting = false
    this.depth = Math.max(this.depth, this.#levels.length)
    this.#shapes.open(level.kind === 'map' ? 'object' : 'array')
  }

  #pop(): void {
    this.#endWaiting()
    this.#levels.pop()
    this.#shapes.close()
  }

  /** Ends the levels whose lines begin further right. */
  #endLevels(indent: number): void {
    for (let top = this.#levels.at(-1); top !== undefined; top = this.#levels.at(-1)) {
      if (top.indent !== null && top.indent <= indent) return
      this.#pop()
    }
  }
}
