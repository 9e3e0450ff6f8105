// Used by the build (electron.vite.config.ts). Why it is so: docs/decisions/0002-sources-run-as-they-are.md
import { type ESTree, type Plugin, parseSync } from 'vite'

const SOURCE = /\/core\/[\w/-]+\.ts$/
const HELPER = 'core/contract/when-asked.ts'
/** Schemas that others are made from are called like the types that follow from them. */
const SCHEMA = /^[A-Z][A-Za-z]*$/
/** What a schema has that makes another one. */
const MAKES_ANOTHER: ReadonlySet<string> = new Set(['extend', 'omit', 'pick', 'partial'])
/** What makes something else. */
const MAKES_NONE: ReadonlySet<string> = new Set(['parse', 'safeParse', 'toJSONSchema'])

export const schemasWhenAsked: Plugin = {
  name: 'schemas-when-asked',
  transform: (code, id) => (SOURCE.test(id) && !id.endsWith(HELPER) ? withSchemasWhenAsked(code) : null),
}

/** Returns a module whose schemas are made at their first use (`core/contract/when-asked.ts`). */
export function withSchemasWhenAsked(code: string): string {
  const made = parseSync('source.ts', code).program.body.flatMap(schemasIn)
  const changed = made.reduceRight(
    (text, { start, end }) => `${text.slice(0, start)}whenAsked(() => ${text.slice(start, end)})${text.slice(end)}`,
    code,
  )
  return made.length === 0 ? code : `import { whenAsked } from '#${HELPER}'\n${changed}`
}

/** Returns the expressions of a statement by which it makes schemas. */
function schemasIn(statement: ESTree.Statement): ESTree.Expression[] {
  const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declared?.type !== 'VariableDeclaration') return []
  return declared.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && init && isSchema(init) ? [init] : [],
  )
}

/** Whether an expression is a chain of calls like `z.string().max(9)` or `Other.extend({})`. */
function isSchema(made: ESTree.Expression): boolean {
  const calls: string[] = []
  let at = made
  while (
    at.type === 'CallExpression' &&
    at.callee.type === 'MemberExpression' &&
    at.callee.property.type === 'Identifier'
  ) {
    calls.push(at.callee.property.name)
    at = at.callee.object
  }
  if (at.type !== 'Identifier' || calls.length === 0 || calls.some((name) => MAKES_NONE.has(name))) return false
  return at.name === 'z' || (SCHEMA.test(at.name) && MAKES_ANOTHER.has(calls.at(-1) ?? ''))
}
