import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync } from 'vite'
import { inProject, root } from '#scripts/project.mjs'

/** Stands in the text of a template for each value in it. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written in the source
export const VALUE = '${…}'

/** A text in the source: a string, or the whole of a template. */
type Literal = {
  readonly text: string
  readonly line: number
  /** Stands behind the comment that marks a statement of SQL. */
  readonly isTaggedSql: boolean
  /** Stands in an object named `queries`. */
  readonly isInQueries: boolean
}

export type SourceFile = {
  /** From the project folder, with slashes. */
  readonly path: string
  readonly literals: readonly Literal[]
  /** Lines on which the system of a memory is compared with something. */
  readonly systemComparisons: readonly number[]
  /** Lines on which the stored number of a message is written for people: formatted, or as it is in a template or markup. */
  readonly writtenSeqs: readonly number[]
  /** Every name in the code, with the first line on which it stands. */
  readonly identifiers: ReadonlyMap<string, number>
  /** Names that the file exports. */
  readonly exportedNames: readonly string[]
  /** What the file calls its tests and groups of tests. */
  readonly testTitles: readonly TestTitle[]
}

type TestTitle = { readonly text: string; readonly line: number; readonly isGroup: boolean }

type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [key: string]: unknown }

/** Reads what the structure tests ask of one file. Comments and the paths of imports are no literals. */
export function readSource(path: string, code: string): SourceFile {
  const { program, errors } = parseSync(path, code)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  const literals: Literal[] = []
  const systemComparisons: number[] = []
  const writtenSeqs: number[] = []
  const exportedNames: string[] = []
  const testTitles: TestTitle[] = []
  const identifiers = new Map<string, number>()
  const lineOf = (offset: number) => code.slice(0, offset).split('\n').length

  const visit = (node: Node, isInQueries: boolean): void => {
    const text = textOf(node)
    if (text !== null) {
      const isTaggedSql = code.slice(0, node.start).trimEnd().endsWith('/* sql */')
      literals.push({ text, line: lineOf(node.start), isTaggedSql, isInQueries })
    }
    if (node.type === 'Identifier' && !identifiers.has(String(node.name)))
      identifiers.set(String(node.name), lineOf(node.start))
    if (isSystemComparison(node)) systemComparisons.push(lineOf(node.start))
    if (writesSeq(node)) writtenSeqs.push(lineOf(node.start))
    const title = titleOf(node)
    if (title !== null) testTitles.push({ ...title, line: lineOf(node.start) })
    if (node.type === 'ExportNamedDeclaration') exportedNames.push(...namesOf(node))
    const inside = isInQueries || (node.type === 'VariableDeclarator' && nameOf(node.id) === 'queries')
    for (const [key, child] of Object.entries(node)) {
      if (key === 'source' && node.type.startsWith('Im')) continue
      for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) visit(each, inside)
    }
  }
  visit(program as unknown as Node, false)
  return { path, literals, systemComparisons, writtenSeqs, identifiers, exportedNames, testTitles }
}

/** Every TypeScript file under these folders of the project. */
export function readSources(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(inProject(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => readSource(relative(root, file).replaceAll('\\', '/'), readFileSync(file, 'utf8'))),
  )
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const nameOf = (node: unknown): string | null => (isNode(node) && typeof node.name === 'string' ? node.name : null)

function textOf(node: Node): string | null {
  if (node.type === 'Literal' || node.type === 'JSXText') return typeof node.value === 'string' ? node.value : null
  if (node.type !== 'TemplateLiteral') return null
  return (node.quasis as { readonly value: { readonly raw: string } }[]).map(({ value }) => value.raw).join(VALUE)
}

/** The first argument of `it`, `test`, `describe` and the like, such as `it.each(…)(title, …)`. */
function titleOf(node: Node): Omit<TestTitle, 'line'> | null {
  if (node.type !== 'CallExpression' || !isNode(node.callee)) return null
  const [first] = node.arguments as readonly unknown[]
  const name = nameOf(rootOf(node.callee)) ?? ''
  const text = /^(?:it|test|describe)$/.test(name) && isNode(first) ? textOf(first) : null
  const isGroup = name === 'describe' || (isNode(node.callee.property) && nameOf(node.callee.property) === 'describe')
  return text === null ? null : { text, isGroup }
}

/** What a chain of calls and properties begins with. */
function rootOf(node: Node): Node {
  const next = node.type === 'CallExpression' ? node.callee : node.type === 'MemberExpression' ? node.object : null
  return isNode(next) ? rootOf(next) : node
}

/** `info.system === …` and the like, and `switch (info.system)`. */
function isSystemComparison(node: Node): boolean {
  if (node.type === 'SwitchStatement') return isSystem(node.discriminant)
  if (node.type !== 'BinaryExpression' || !/^[!=]==?$/.test(String(node.operator))) return false
  return isSystem(node.left) || isSystem(node.right)
}

/** `formatCount(node.firstSeq)`, `plural(seq, …)`, `{seq}` in markup, and `messages.seqs[position]` in a template. */
function writesSeq(node: Node): boolean {
  if (node.type === 'CallExpression')
    return /^(?:format|plural|messageText)/.test(nameOf(node.callee) ?? '') && (node.arguments as unknown[]).some(isSeq)
  if (node.type === 'JSXExpressionContainer') return isSeq(node.expression)
  return node.type === 'TemplateLiteral' && (node.expressions as unknown[]).some(isElementOfSeqs)
}

const isSeq = (node: unknown): boolean =>
  isNode(node) &&
  /^(?:seq|\w*Seq)$/.test(nameOf(node.type === 'MemberExpression' && !node.computed ? node.property : node) ?? '')

const isElementOfSeqs = (node: unknown): boolean =>
  isNode(node) &&
  node.type === 'MemberExpression' &&
  isNode(node.object) &&
  nameOf(node.object.type === 'MemberExpression' ? node.object.property : node.object) === 'seqs'

function isSystem(node: unknown): boolean {
  if (!isNode(node)) return false
  if (node.type === 'ChainExpression') return isSystem(node.expression)
  if (node.type === 'LogicalExpression') return isSystem(node.left) || isSystem(node.right)
  if (node.type === 'ParenthesizedExpression') return isSystem(node.expression)
  return nameOf(node.type === 'MemberExpression' ? node.property : node) === 'system'
}

function namesOf({ declaration, specifiers }: Node): string[] {
  const inList = (specifiers as { readonly exported: unknown }[]).map(({ exported }) => nameOf(exported))
  const declared = !isNode(declaration)
    ? []
    : declaration.type === 'VariableDeclaration'
      ? (declaration.declarations as { readonly id: unknown }[]).map(({ id }) => nameOf(id))
      : [nameOf(declaration.id)]
  return [...inList, ...declared].filter((name) => name !== null)
}
