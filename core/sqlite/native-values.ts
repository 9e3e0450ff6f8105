import { PartType, Role, SummaryKind } from '../contract/ids.ts'
import { isDistrusted, trustAgain } from './distrusted-files.ts'
import { type NativeColumn, nativeSchema, oneLine } from './native-schema.ts'
import type { ReadDb } from './read-db.ts'

const queries = {
  definition: /* sql */ `SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = :table`,
}

type NativeTable = { readonly table: string; readonly columns: readonly NativeColumn[] }

/**
 * A table of a native file in which values may stand that cannot be shown: another program made it anew, with our columns,
 * or put rows into it whose names nothing can be called by, or values that it forbids.
 */
export type LooseTable = NativeTable & { readonly why: 'remade' | 'unnamed' | 'forbidden' }

/** Our own tables refuse values that do not fit them. Whether they did is checked only in files that are distrusted. */
export function looseTables(db: ReadDb, migrations: readonly string[]): LooseTable[] {
  const forbidden = isDistrusted(db.path) ? tablesOfForbidden(db, migrations) : null
  if (forbidden?.size === 0) trustAgain(db.path)
  return [...nativeSchema(migrations).tables].flatMap(([table, { sql, columns }]): LooseTable[] => {
    const isRemade = oneLine(db.value<string>(queries.definition, { table }) ?? '') !== sql
    if (isRemade) return [{ table, columns, why: 'remade' }]
    const isUnnamed = UNNAMED[table] !== undefined && db.value(UNNAMED[table]) !== undefined
    if (isUnnamed) return [{ table, columns, why: 'unnamed' }]
    return forbidden?.has(table) ? [{ table, columns, why: 'forbidden' }] : []
  })
}

/**
 * Tables that hold a value which their definition does not allow. This happens when a bit of the file was flipped, or when
 * another program changed the definition, wrote, and changed it back. Reads the header of every row.
 */
export function tablesOfForbidden(db: ReadDb, migrations: readonly string[]): ReadonlySet<string> {
  const tables = [...nativeSchema(migrations).tables].filter(
    ([table, { columns }]) =>
      db.value(/* sql */ `SELECT 1 FROM main.${table} AS t WHERE ${hasWrongValue(table, columns)} LIMIT 1`) !==
      undefined,
  )
  return new Set(tables.map(([table]) => table))
}

/** Ids are shown and asked for in so many characters at most (`NodeId` of the contract). */
const LONGEST_ID = 512

/** Rows with names that no answer can have. Each looks into an index; only ids of nodes are looked through. */
const UNNAMED: Readonly<Record<string, string>> = {
  summaries: /* sql */ `SELECT 1 FROM main.summaries WHERE summary_id = '' OR length(summary_id) > ${LONGEST_ID} LIMIT 1`,
  large_files: /* sql */ `SELECT 1 FROM main.large_files WHERE file_id = '' OR length(file_id) > ${LONGEST_ID} LIMIT 1`,
  context_items: /* sql */ `
    SELECT 1 FROM main.context_items WHERE summary_id IS NOT NULL AND (summary_id = '' OR length(summary_id) > ${LONGEST_ID})
    LIMIT 1`,
  summary_messages: /* sql */ `SELECT 1 FROM main.summary_messages WHERE summary_id = '' LIMIT 1`,
  summary_sources: /* sql */ `SELECT 1 FROM main.summary_sources WHERE summary_id = '' OR source_summary_id = '' LIMIT 1`,
}

/** SQL: what nothing of a file can be called. */
export const isNoName = (value: string): string => `${value} = '' OR length(${value}) > ${LONGEST_ID}`

type OneOf = { readonly values: readonly string[]; readonly otherwise: string }

/** What a column may say, and what is shown in the place of anything else. */
const ONE_OF = {
  'messages.role': { values: Role.options, otherwise: `'system'` },
  'message_parts.part_type': { values: PartType.options, otherwise: `'text'` },
  'summaries.kind': { values: SummaryKind.options, otherwise: `iif(:row.depth > 0, 'condensed', 'leaf')` },
  'summaries.level': { values: ['normal', 'aggressive', 'deterministic', 'unknown'], otherwise: `'unknown'` },
  'context_items.item_type': { values: ['message', 'summary'], otherwise: 'NULL' },
  'compaction_runs.reason': { values: ['threshold', 'manual', 'maintenance'], otherwise: `'manual'` },
  'compaction_events.pass': { values: ['leaf', 'condensed'], otherwise: `'leaf'` },
  'surgery_events.kind': { values: ['rewrite', 'dissolve', 'transplant', 'repair', 'undo'], otherwise: `'repair'` },
} satisfies Readonly<Record<string, OneOf>>

const oneOfColumn = (table: string, column: string): OneOf | undefined =>
  Object.entries<OneOf>(ONE_OF).find(([name]) => name === `${table}.${column}`)?.[1]

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

const isNodeId = ({ name }: NativeColumn): boolean => /^(?:summary|source_summary|file)_id$/.test(name)
const typesOf = ({ type }: NativeColumn): string => TYPES[type] ?? `'text'`
const listed = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ')

/** SQL over a row `t` of the file's own table: true for what the column cannot hold. */
export function isWrongValue(table: string, column: NativeColumn): string {
  const value = `t.${column.name}`
  const isOther = `typeof(${value}) NOT IN (${typesOf(column)}${column.isRequired ? '' : `, 'null'`})`
  const oneOf = oneOfColumn(table, column.name)
  if (oneOf) return `${isOther} OR ${value} NOT IN (${listed(oneOf.values)})`
  return isNodeId(column) ? `${isOther} OR ${isNoName(value)}` : isOther
}

/** SQL over a row `t` of the file's own table: true where one of the columns cannot hold its value. */
export const hasWrongValue = (table: string, columns: readonly NativeColumn[]): string =>
  columns.map((column) => `(${isWrongValue(table, column)})`).join(' OR ')

/**
 * SQL for one of the listed columns of a row, whatever its table lets in: the check on a column holds only for writers
 * that did not turn it off. https://www.sqlite.org/pragma.html#pragma_ignore_check_constraints
 */
export function shownValue(name: keyof typeof ONE_OF, row: string): string {
  const { values, otherwise }: OneOf = ONE_OF[name]
  const value = `${row}.${name.slice(name.indexOf('.') + 1)}`
  return `iif(${value} IN (${listed(values)}), ${value}, ${otherwise.replace(':row', row)})`
}

function shown({ table }: LooseTable, column: NativeColumn): string {
  const value = `t.${column.name}`
  const listedAs = Object.keys(ONE_OF).find((name) => name === `${table}.${column.name}`)
  if (listedAs) return shownValue(listedAs as keyof typeof ONE_OF, 't')
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
      ? `typeof(t.${column.name}) = 'text' AND NOT (${isNoName(`t.${column.name}`)})`
      : `typeof(t.${column.name}) = 'integer'`,
  )
  if (table === 'context_items') {
    conditions.push(`CASE t.item_type WHEN 'message' THEN typeof(t.message_id) = 'integer' AND t.summary_id IS NULL
      WHEN 'summary' THEN typeof(t.summary_id) = 'text' AND NOT (${isNoName('t.summary_id')}) AND t.message_id IS NULL ELSE 0 END`)
  }
  return conditions.length === 0 ? '1' : conditions.join(' AND ')
}

/** TEMP views of their names in front of such tables, in which every value is of the kind that it has to be. */
export const typedViews = (loose: readonly LooseTable[]): string =>
  loose
    .map(
      (table) => /* sql */ `CREATE TEMP VIEW ${table.table} AS
SELECT ${table.columns.map((column) => `${shown(table, column)} AS ${column.name}`).join(',\n  ')}
FROM main.${table.table} AS t WHERE ${isFound(table)};`,
    )
    .join('\n')
