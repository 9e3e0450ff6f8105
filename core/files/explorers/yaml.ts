import { type CST, Lexer, Parser } from 'yaml'
import { plural } from '#core/text.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import { describeShape, ShapeCollector, shapeSections } from './shape.ts'
import { article } from './shown.ts'

/** A tree takes about a hundred times as much memory as its text. No more of a file is read. */
const MOST_YAML_BYTES = 1_000_000
const DEEPEST = 1000
const TOKENS_PER_STEP = 100

/** The documents of a file: their keys, and what stands behind them. */
export const exploreYaml: Explorer = function* (file) {
  const shapes = new ShapeCollector()
  const parser = new Parser()
  let [depth, tokens] = [0, 0]
  for (const source of new Lexer().lex(yield* file.text(MOST_YAML_BYTES))) {
    for (const token of parser.next(source)) depth = Math.max(depth, yield* tell(shapes, token))
    if (parser.stack.length > DEEPEST) throw new Unreadable(`it is nested more than ${DEEPEST} deep`)
    tokens += 1
    if (tokens % TOKENS_PER_STEP === 0) yield
  }
  for (const token of parser.end()) depth = Math.max(depth, yield* tell(shapes, token))
  const { root } = shapes
  if (root.objects + root.arrays === 0) throw new Unreadable('it has neither keys nor lists')
  const documents = root.count === 1 ? 'The document is' : `${plural(root.count, 'document')}, each`
  return {
    facts: [`${documents} ${article(describeShape(root))}, nested ${depth} deep.`],
    sections: [...shapeSections(root)],
  }
}

/**
 * Passes on the parts of a document as they are written: aliases and tags are not resolved.
 * @returns how deep it is nested
 */
function* tell(shapes: ShapeCollector, token: CST.Token | null | undefined): Generator<void, number> {
  switch (token?.type) {
    case 'document':
      return token.value === undefined ? 0 : yield* tell(shapes, token.value)
    case 'block-map':
    case 'block-seq':
    case 'flow-collection':
      return yield* tellCollection(shapes, token)
    case 'scalar':
      if (token.source === '~' || token.source === 'null') shapes.null()
      else shapes.written(token.source)
      return 0
    case 'alias':
    case 'block-scalar':
    case 'single-quoted-scalar':
    case 'double-quoted-scalar':
      shapes.text(textOf(token))
      return 0
    case undefined:
      shapes.null()
      return 0
    default:
      return 0
  }
}

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection

function* tellCollection(shapes: ShapeCollector, token: Collection): Generator<void, number> {
  const isMap = token.type === 'flow-collection' ? token.start.source === '{' : token.type === 'block-map'
  let depth = 0
  shapes.open(isMap ? 'object' : 'array')
  for (const item of token.items) {
    yield
    const isItem = token.type === 'block-seq' && item.start.some(({ type }) => type === 'seq-item-ind')
    const isKey = item.key !== undefined || item.sep !== undefined
    if (item.value === undefined && !isItem && !isKey) continue
    if (isMap) shapes.key(textOf(isKey ? item.key : item.value))
    depth = Math.max(depth, yield* tell(shapes, isMap && !isKey ? null : item.value))
  }
  shapes.close()
  return depth + 1
}

function textOf(token: CST.Token | null | undefined): string {
  switch (token?.type) {
    case 'scalar':
    case 'alias':
    case 'block-scalar':
      return token.source
    case 'single-quoted-scalar':
    case 'double-quoted-scalar':
      return token.source.slice(1, -1)
    default:
      return '?'
  }
}
