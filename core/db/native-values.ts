import { PartType, Role, SummaryKind } from '../contract/ids.ts'
import { type NativeColumn, nativeSchema, oneLine } from './native-schema.ts'
import type { ReadDb } from './read-db.ts'

const queries = {
  definition: /* sql */ `SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = :table`,
}

/** A table of a native file that another program made anew: it has our columns, and any value may stand in any of them. */
export type LooseTable = { readonly table: string; readonly columns: readonly NativeColumn[] }

/** Our own tables refuse what does not fit them. */
export function looseTables(db: ReadDb, migrations: readonly string[]): LooseTable[] {
  return [...nativeSchema(migrations).tables]
    .filter(([table, { sql }]) => oneLine(db.value<string>(queries.definition, { table }) ?? '') !== sql)
    .map(([table, { columns }]) => ({ table, columns }))
}

type OneOf = { readonly values: readonly string[]; readonly otherwise: string }

/** What a column may say, and what is shown in the place of anything else. */
const ONE_OF: Readonly<Record<string, OneOf>> = {
  'messages.role': { values: Role.options, otherwise: `'system'` },
  'message_parts.part_type': { values: PartType.options, otherwise: `'text'` },
  'summaries.kind': { values: SummaryKind.options, otherwise: `iif(t.depth > 0, 'condensed', 'leaf')` },
  'summaries.level': { values: ['normal', 'aggressive', 'deterministic', 'unknown'], otherwise: `'unknown'` },
  'context_items.item_type': { values: ['message', 'summary'], otherwise: 'NULL' },
  'compaction_runs.reason': { values: ['threshold', 'manual', 'maintenance'], otherwise: `'manual'` },
  'compaction_events.pass': { values: ['leaf', 'condensed'], otherwise: `'leaf'` },
  'surgery_events.kind': { values: ['rewrite', 'dissolve', 'transplant', 'repair', 'undo'], otherwise: `'repair'` },
}

/** By these a row is found and joined: without one it cannot be shown. */
const KEYS: ReadonlySet<string> = new Set([
  'conversation_id',
  'message_id',
  'part_id',
  'summary_rowid',
  'summary_id',
  'source_summary_id',
  'file_id',
  'run_id',
  'event_id',
  'surgery_id',
  'key',
])

const TYPES: Readonly<Record<string, string>> = { TEXT: `'text'`, INTEGER: `'integer'`, REAL: `'real', 'integer'` }

const typesOf = ({ type }: NativeColumn): string => TYPES[type] ?? `'text'`
const listed = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ')

/** SQL over a row `t` of the file's own table: true for what the column cannot hold. */
export function isWrongValue({ table }: LooseTable, column: NativeColumn): string {
  const value = `t.${column.name}`
  const isOther = `typeof(${value}) NOT IN (${typesOf(column)}${column.isRequired ? '' : `, 'null'`})`
  const oneOf = ONE_OF[`${table}.${column.name}`]
  return oneOf ? `${isOther} OR ${value} NOT IN (${listed(oneOf.values)})` : isOther
}

function shown({ table }: LooseTable, column: NativeColumn): string {
  const value = `t.${column.name}`
  const oneOf = ONE_OF[`${table}.${column.name}`]
  if (oneOf) return `iif(${value} IN (${listed(oneOf.values)}), ${value}, ${oneOf.otherwise})`
  if (column.type === 'TEXT') {
    const text = `CAST(${value} AS TEXT)`
    return column.isRequired ? `coalesce(${text}, '')` : text
  }
  const number = `iif(typeof(${value}) IN (${typesOf(column)}), ${value}, NULL)`
  return column.isRequired ? `coalesce(${number}, 0)` : number
}

function isFound({ table, columns }: LooseTable): string {
  const keys = columns.filter(({ name, isRequired }) => isRequired && KEYS.has(name))
  const conditions = keys.map((column) =>
    column.type === 'TEXT'
      ? `typeof(t.${column.name}) = 'text' AND t.${column.name} <> ''`
      : `typeof(t.${column.name}) = 'integer'`,
  )
  if (table === 'context_items') {
    conditions.push(`CASE t.item_type WHEN 'message' THEN typeof(t.message_id) = 'integer' AND t.summary_id IS NULL
      WHEN 'summary' THEN typeof(t.summary_id) = 'text' AND t.summary_id <> '' AND t.message_id IS NULL ELSE 0 END`)
  }
  return conditions.length === 0 ? '1' : conditions.join(' AND ')
}

/** TEMP views of their names in front of such tables, in which every value is of the kind that it has to be. */
export const typedViews = (loose: readonly LooseTable[]): string =>
  loose
    .map(
      (table) => `CREATE TEMP VIEW ${table.table} AS
SELECT ${table.columns.map((column) => `${shown(table, column)} AS ${column.name}`).join(',\n  ')}
FROM main.${table.table} AS t WHERE ${isFound(table)};`,
    )
    .join('\n')
