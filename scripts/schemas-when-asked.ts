// Used by the build (electron.vite.config.ts). Why it is so: docs/decisions/0002-sources-run-as-they-are.md
import { type ESTree, type Plugin, parseSync } from 'vite'

const CONTRACT = /\/core\/contract\/[\w-]+\.ts$/
/** Schemas are called like the types that follow from them. */
const SCHEMA = /^[A-Z][A-Za-z]*$/

export const schemasWhenAsked: Plugin = {
  name: 'schemas-when-asked',
  transform: (code, id) => (CONTRACT.test(id) ? withSchemasWhenAsked(code) : null),
}

/** Returns a module of the contract whose schemas are made at their first use (`core/contract/when-asked.ts`). */
export function withSchemasWhenAsked(code: string): string {
  const made = parseSync('contract.ts', code).program.body.flatMap(schemasIn)
  const changed = made.reduceRight(
    (text, { start, end }) => `${text.slice(0, start)}whenAsked(() => ${text.slice(start, end)})${text.slice(end)}`,
    code,
  )
  return made.length === 0 ? code : `import { whenAsked } from './when-asked.ts'\n${changed}`
}

/** Returns the expressions of a statement by which it makes schemas. */
function schemasIn(statement: ESTree.Statement): ESTree.Expression[] {
  const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declared?.type !== 'VariableDeclaration') return []
  return declared.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && SCHEMA.test(id.name) && init?.type === 'CallExpression' ? [init] : [],
  )
}
