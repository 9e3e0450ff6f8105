import type { Node, Parser, Tree } from '@vscode/tree-sitter-wasm'
import { CodeOutline } from './code-outline.ts'
import type { DecodedFile } from './decoded-file.ts'
import type { Explorer } from './explorer.ts'
import type { LoadedGrammar } from './grammars.ts'
import { linesOf } from './lines.ts'

/** A tree takes some thirty times as much memory as its text. The outline of a longer file is made line by line. */
const MOST_PARSED_CHARS = 2 * 1024 * 1024
const PARSE_SLICE_MS = 10
/**
 * The parser reports after a fixed number of steps. A text with many more than its length explains is none of the
 * language. Steps are counted and not time, so that the same file always gives the same summary.
 */
const REPORTS_PER_CHAR = 0.2
const FREE_REPORTS = 10_000
const DEEPEST = 40
const NODES_PER_STEP = 100

/** The outline of a source file by the grammar of its language, or line by line where there is none. */
export const exploreCode = (grammar: LoadedGrammar | null): Explorer =>
  function* (file) {
    if (grammar === null) return (yield* outlineByLines(file)).findings()
    const isShort = file.source.sizeBytes <= MOST_PARSED_CHARS
    const outline = isShort ? yield* outlineByGrammar(file, grammar) : null
    if (outline !== null) return outline.findings()
    const byLines = yield* outlineByLines(file)
    byLines.isWithoutGrammar = true
    return byLines.findings()
  }

/** Null when the text is too hard for the parser. */
function* outlineByGrammar(file: DecodedFile, grammar: LoadedGrammar): Generator<void, CodeOutline | null> {
  const text = yield* file.text()
  const parser = grammar.newParser()
  try {
    const tree = yield* parseInSteps(parser, text)
    if (tree === null) return null
    try {
      const outline = new CodeOutline()
      yield* new TreeWalk(grammar, text, outline).walk(tree.rootNode)
      outline.lines = tree.rootNode.endPosition.row + (text.endsWith('\n') ? 0 : 1)
      outline.hasErrors = tree.rootNode.hasError
      // What the grammar cannot follow may hide what follows it.
      if (outline.hasErrors) outline.addMissing(yield* outlineByLines(file))
      return outline
    } finally {
      tree.delete()
    }
  } finally {
    parser.delete()
  }
}

/** Null when the text is too hard for the parser. */
function* parseInSteps(parser: Parser, text: string): Generator<void, Tree | null> {
  const mostReports = FREE_REPORTS + text.length * REPORTS_PER_CHAR
  let reports = 0
  for (;;) {
    const endsAt = performance.now() + PARSE_SLICE_MS
    const progressCallback = (): boolean => {
      reports += 1
      return reports > mostReports || performance.now() > endsAt
    }
    const tree = parser.parse(text, null, { progressCallback })
    if (tree !== null) return tree
    if (reports > mostReports) return null
    yield
  }
}

class TreeWalk {
  readonly #grammar: LoadedGrammar
  readonly #text: string
  readonly #outline: CodeOutline
  readonly #kinds: ReadonlyMap<string, 'function' | 'type' | 'constant' | 'import' | 'through'>
  #nodes = 0

  constructor(grammar: LoadedGrammar, text: string, outline: CodeOutline) {
    this.#grammar = grammar
    this.#text = text
    this.#outline = outline
    const { functions, types, constants, imports, through } = this.#grammar
    this.#kinds = new Map([
      ...functions.map((type) => [type, 'function'] as const),
      ...types.map((type) => [type, 'type'] as const),
      ...constants.map((type) => [type, 'constant'] as const),
      ...imports.map((type) => [type, 'import'] as const),
      ...['ERROR', ...through].map((type) => [type, 'through'] as const),
    ])
  }

  *walk(node: Node, owner = '', depth = 0): Generator<void> {
    for (const child of node.namedChildren) {
      if (child === null) continue
      this.#nodes += 1
      if (this.#nodes % NODES_PER_STEP === 0) yield
      const kind = this.#kinds.get(child.type)
      if (kind === undefined || depth > DEEPEST) continue
      if (kind === 'import') this.#addImport(child)
      else if (kind === 'constant') this.#addConstant(child, owner)
      else if (kind === 'function') this.#addFunction(child, owner)
      else if (kind === 'through') yield* this.walk(child, owner, depth + 1)
      else yield* this.#addType(child, owner, depth)
    }
  }

  *#addType(node: Node, owner: string, depth: number): Generator<void> {
    const name = this.#nameOf(node)
    const body = node.childForFieldName('body') ?? bodyIn(node)
    if (name === null) return
    const full = owner === '' || node.type === 'impl_item' ? name : `${owner}.${name}`
    // In C a type that is only named stands where it is used.
    const isDefined = node.type !== 'impl_item' && (body !== null || !node.type.endsWith('_specifier'))
    if (isDefined) this.#add('type', full, node, body ?? node.childForFieldName('value'))
    if (body !== null && depth < DEEPEST) yield* this.walk(body, full, depth + 1)
  }

  #addFunction(node: Node, owner: string): void {
    const declarator = node.childForFieldName('declarator')
    const isCallable = declarator === null || holdsParameters(declarator)
    const name = this.#nameOf(node)
    if (!isCallable || name === null) return
    const receiver = node.childForFieldName('receiver')
    const of = receiver === null ? owner : (/(\w+)\W*$/.exec(this.#textOf(receiver))?.[1] ?? owner)
    const [, type = of, member = name] = /^(.+)::([^:]+)$/.exec(name) ?? []
    const body = node.childForFieldName('body') ?? bodyIn(node)
    if (type === '') this.#add('function', member, node, body)
    else this.#outline.addMember(type, member, this.#signatureOf(node, body))
  }

  /** A constant that holds a function is a function. */
  #addConstant(node: Node, owner: string): void {
    const name = this.#nameOf(node)
    if (name === null || (owner !== '' && node.type === 'assignment')) return
    const value = node.childForFieldName('value')
    const isFunction =
      value !== null && /^(?:arrow_function|function_expression|function|generator_function)$/.test(value.type)
    if (isFunction && owner === '') this.#add('function', name, node, value.childForFieldName('body'))
    else if (isFunction) this.#outline.addMember(owner, name, this.#signatureOf(node, value.childForFieldName('body')))
    else if (/^[$\w.]{1,80}$/.test(name)) this.#outline.addConstant(name)
  }

  #addImport(node: Node): void {
    const source =
      node.childForFieldName('source') ??
      node.childForFieldName('module_name') ??
      node.childForFieldName('path') ??
      node.childForFieldName('argument')
    if (node.type !== 'call') {
      this.#outline.addImport(this.#textOf(source ?? node))
      return
    }
    const method = node.childForFieldName('method')
    if (method === null || !/^require(?:_relative)?$|^load$/.test(this.#textOf(method))) return
    this.#outline.addImport(this.#textOf(node.childForFieldName('arguments') ?? node))
  }

  #add(kind: 'function' | 'type', name: string, node: Node, body: Node | null): void {
    const isExported = node.parent?.type === 'export_statement' || node.parent?.parent?.type === 'export_statement'
    const signature = this.#signatureOf(node, body)
    this.#outline.add(kind, { name, signature, line: node.startPosition.row + 1, isExported })
  }

  /** What stands before the body of a definition. */
  #signatureOf(node: Node, body: Node | null): string {
    const end = body === null ? node.endIndex : body.startIndex
    return this.#text.slice(node.startIndex, Math.min(end, node.startIndex + 600))
  }

  /** The name of what a node defines. In C it stands within declarators. */
  #nameOf(node: Node): string | null {
    if (node.type === 'impl_item') {
      const type = node.childForFieldName('type')
      return type === null ? null : this.#textOf(type).replace(/<[\s\S]*$/, '')
    }
    let named = node.childForFieldName('name') ?? node.childForFieldName('left')
    let inner = node.childForFieldName('declarator')
    while (named === null && inner !== null) {
      const deeper = inner.childForFieldName('declarator') ?? inner.childForFieldName('name')
      if (deeper === null) named = inner
      inner = deeper
    }
    named ??= node.namedChildren.find((child) => child !== null && /identifier|^name$/.test(child.type)) ?? null
    return named === null ? null : this.#textOf(named).replaceAll(/^[(*&\s]+|[)\s]+$/g, '')
  }

  #textOf(node: Node): string {
    return this.#text.slice(node.startIndex, Math.min(node.endIndex, node.startIndex + 200))
  }
}

const bodyIn = (node: Node): Node | null => bodyAmong(node.childForFieldName('type') ?? node) ?? bodyAmong(node)

const bodyAmong = (node: Node): Node | null =>
  node.namedChildren.find(
    (child) =>
      child !== null &&
      /(?:_body|_list|^body_statement|^block|^accessor_list)$/.test(child.type) &&
      !/parameter|argument|base_list/.test(child.type),
  ) ?? null

/** A declarator with parameters declares a function, one without a variable. */
function holdsParameters(declarator: Node): boolean {
  for (let node: Node | null = declarator; node !== null; node = node.childForFieldName('declarator')) {
    if (node.type === 'function_declarator') return true
  }
  return false
}

const FUNCTION_LINE =
  /^\s{0,16}(?:(?:export|default|public|private|protected|internal|static|async|abstract|override|final|inline|pub(?:\([\w:]+\))?|unsafe|extern|local|open|suspend|virtual)\s+){0,6}(?:function\*?|func|fun|fn|def|defp|sub|proc|procedure|method)\s+([\w$.:?!]{1,100})/
const TYPE_LINE =
  /^\s{0,16}(?:(?:export|default|public|private|protected|internal|static|abstract|final|sealed|partial|pub(?:\([\w:]+\))?|data|open|case|declare)\s+){0,6}(?:class|interface|struct|enum|trait|type|union|module|namespace|impl|object|protocol|extension|defmodule|contract|record|package)\s+([\w$.:<>]{1,100})/
const C_FUNCTION_LINE =
  /^(?!return\b|else\b|if\b|while\b|for\b|switch\b|typedef\b|#)[A-Za-z_][\w\s*&:<>,]{1,120}?[\s*&]([A-Za-z_~][\w:~]{0,80})\s*\([^;{}]{0,300}\)\s*(?:const)?\s*[{;]?\s*$/
const CONSTANT_LINE = /^(?:export\s+)?(?:const|let|var|val|static|#define)\s+([A-Za-z_$][\w$]{0,80})/
const IMPORT_LINE = /^\s{0,8}(?:import|from|use|using|require|require_relative|#\s*include|include|open)\b\s*(.{1,200})/

/** Finds definitions by how their lines begin. */
function* outlineByLines(file: DecodedFile): Generator<void, CodeOutline> {
  const outline = new CodeOutline()
  const add = (line: string): void => {
    outline.lines += 1
    if (line.length > 600) return
    const [, called] = FUNCTION_LINE.exec(line) ?? C_FUNCTION_LINE.exec(line) ?? []
    const [, type] = called === undefined ? (TYPE_LINE.exec(line) ?? []) : []
    const found = {
      signature: line.trim().replace(/\s*[{:]?\s*$/, ''),
      line: outline.lines,
      isExported: /^\s*(?:export|pub)\b/.test(line),
    }
    if (called !== undefined) outline.add('function', { name: called, ...found })
    else if (type !== undefined) outline.add('type', { name: type, ...found })
    else {
      const [, constant] = CONSTANT_LINE.exec(line) ?? []
      const [, imported] = IMPORT_LINE.exec(line) ?? []
      if (constant !== undefined) outline.addConstant(constant)
      else if (imported !== undefined) outline.addImport(imported)
    }
  }
  for (const line of linesOf(yield* file.text())) {
    add(line)
    yield
  }
  return outline
}
