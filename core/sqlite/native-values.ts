import { isDistrusted, trustAgain } from './distrusted-files.ts'
import { type NativeColumn, nativeSchema, oneLine } from './native-schema.ts'
import type { ReadDb } from './read-db.ts'
import { isExactInteger, isInexact, isListed, isNoName, listedValues, shownValue } from './shown-values.ts'

const queries = {
  definition: /* sql */ `SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = :table`,
  messagesOfUnnamed: /* sql */ `
    SELECT 1 FROM main.summary_messages WHERE summary_id = '' OR ${isInexact('message_id')} LIMIT 1`,
  sourcesOfUnnamed: /* sql */ `
    SELECT 1 FROM main.summary_sources WHERE summary_id = '' OR source_summary_id = '' LIMIT 1`,
}

type NativeTable = { readonly table: string; readonly columns: readonly NativeColumn[] }

/**
 * A table of a native file that may hold values that cannot be shown. Another program made the table again with our
 * columns, stored rows whose ids cannot be used, or stored values that the definition forbids.
 */
export type LooseTable = NativeTable & { readonly why: 'remade' | 'unnamed' | 'forbidden' }

/** Our own tables refuse values of the wrong type. Only distrusted files are checked for such values. */
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
 * Returns the tables that hold a value that their definition forbids. A flipped bit causes this, or a program that
 * changes the definition, writes, and changes it back. Reads the header of every row.
 */
export function tablesOfForbidden(db: ReadDb, migrations: readonly string[]): ReadonlySet<string> {
  const tables = [...nativeSchema(migrations).tables].filter(
    ([table, { columns }]) =>
      db.value(/* sql */ `SELECT 1 FROM main.${table} AS t WHERE ${hasWrongValue(table, columns)} LIMIT 1`) !==
      undefined,
  )
  return new Set(tables.map(([table]) => table))
}

/** Finds rows whose ids no answer can show. Each query uses an index; only ids of nodes are scanned. */
const UNNAMED: Readonly<Record<string, string>> = {
  message_parts: /* sql */ `SELECT 1 FROM main.message_parts WHERE ${isInexact('message_id')} LIMIT 1`,
  summaries: /* sql */ `SELECT 1 FROM main.summaries WHERE ${isNoName('summary_id')} LIMIT 1`,
  large_files: /* sql */ `SELECT 1 FROM main.large_files WHERE ${isNoName('file_id')} LIMIT 1`,
  context_items: /* sql */ `
    SELECT 1 FROM main.context_items WHERE summary_id IS NOT NULL AND (${isNoName('summary_id')})
    UNION ALL SELECT 1 FROM main.context_items WHERE ${isInexact('message_id')}
    LIMIT 1`,
  summary_messages: queries.messagesOfUnnamed,
  summary_sources: queries.sourcesOfUnnamed,
}

/** Rows are found and joined by these columns. A row without one of them cannot be shown. */
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

/**
 * SQL for a row `t` of the file's own table. True when the column cannot hold its value. An optional column is asked for
 * NULL first, because most rows have nothing in most of them and the test is the cheapest.
 */
export function isWrongValue(table: string, column: NativeColumn): string {
  const value = `t.${column.name}`
  const isWrong = isWrongNonNull(`${table}.${column.name}`, value, column)
  return column.isRequired ? isWrong : `${value} IS NOT NULL AND (${isWrong})`
}

/** SQL that is true for a value of a column, other than NULL, that the column cannot hold. */
function isWrongNonNull(name: string, value: string, column: NativeColumn): string {
  if (!isListed(name) && column.type === 'INTEGER') return `NOT (${isExactInteger(value)})`
  const isOther = `typeof(${value}) NOT IN (${typesOf(column)})`
  if (isListed(name)) return `${isOther} OR ${value} NOT IN (${listedValues(name)})`
  return isNodeId(column) ? `${isOther} OR ${isNoName(value)}` : isOther
}

/** SQL for a row `t` of the file's own table. True when one of the columns cannot hold its value. */
export const hasWrongValue = (table: string, columns: readonly NativeColumn[]): string =>
  columns.map((column) => `(${isWrongValue(table, column)})`).join(' OR ')

function shown({ table }: LooseTable, column: NativeColumn): string {
  const value = `t.${column.name}`
  const name = `${table}.${column.name}`
  if (isListed(name)) return shownValue(name, 't')
  if (column.type === 'TEXT') {
    const text = `CAST(${value} AS TEXT)`
    return column.isRequired ? `coalesce(${text}, '')` : text
  }
  const isRight = column.type === 'INTEGER' ? isExactInteger(value) : `typeof(${value}) IN (${typesOf(column)})`
  const number = `iif(${isRight}, ${value}, NULL)`
  return column.isRequired ? `coalesce(${number}, 0)` : number
}

function isFound({ table, columns }: LooseTable): string {
  const keys = columns.filter(({ name, isRequired }) => isRequired && KEYS.has(name))
  const conditions = keys.map((column) =>
    column.type === 'TEXT'
      ? `typeof(t.${column.name}) = 'text' AND NOT (${isNoName(`t.${column.name}`)})`
      : isExactInteger(`t.${column.name}`),
  )
  if (table === 'context_items') {
    conditions.push(`CASE t.item_type WHEN 'message' THEN ${isExactInteger('t.message_id')} AND t.summary_id IS NULL
      WHEN 'summary' THEN typeof(t.summary_id) = 'text' AND NOT (${isNoName('t.summary_id')}) AND t.message_id IS NULL ELSE 0 END`)
  }
  return conditions.length === 0 ? '1' : conditions.join(' AND ')
}

/**
 * Returns TEMP views that hide such tables and give every value its proper type, and views for tables of an older
 * version that lack columns.
 * @param lacking columns that the version of the file lacks, by table
 */
export function typedViews(loose: readonly LooseTable[], lacking: Readonly<Record<string, string>>): string {
  const others = Object.entries(lacking).filter(([table]) => !loose.some((one) => one.table === table))
  const views = others.map(
    ([table, columns]) => /* sql */ `CREATE TEMP VIEW ${table} AS SELECT t.*, ${columns} FROM main.${table} AS t;`,
  )
  for (const table of loose) {
    const columns = table.columns.map((column) => `${shown(table, column)} AS ${column.name}`)
    views.push(/* sql */ `CREATE TEMP VIEW ${table.table} AS
SELECT ${[...columns, ...(lacking[table.table] === undefined ? [] : [lacking[table.table]])].join(',\n  ')}
FROM main.${table.table} AS t WHERE ${isFound(table)};`)
  }
  return views.join('\n')
}
