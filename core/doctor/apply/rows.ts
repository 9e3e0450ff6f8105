import type { Cells, RowChange } from '#core/contract/repair.ts'
import type { SqlParams, WriteDb } from '#core/sqlite/read-db.ts'
import { CANONICAL } from '#core/systems/deriving/canonical.ts'

/** The only tables in which a repair or a surgery writes rows. Of a message it writes nothing but the token count. */
const WRITABLE: Readonly<Record<string, { readonly key: readonly string[]; readonly columns: readonly string[] }>> = {
  summaries: {
    key: ['summary_id'],
    columns: (CANONICAL.summaries ?? []).filter((column) => column !== 'summary_id' && column !== 'summary_rowid'),
  },
  summary_messages: { key: ['summary_id', 'message_id'], columns: ['ordinal'] },
  summary_sources: { key: ['summary_id', 'source_summary_id'], columns: ['ordinal'] },
  context_items: {
    key: ['conversation_id', 'ordinal'],
    columns: ['ordinal', 'item_type', 'message_id', 'summary_id', 'created_at'],
  },
  messages: { key: ['message_id'], columns: ['token_count'] },
  conversation_locks: { key: ['conversation_id'], columns: ['owner', 'acquired_at', 'lease_until'] },
  compaction_runs: { key: ['run_id'], columns: ['finished_at', 'tokens_after', 'stop_reason'] },
  large_files: { key: ['file_id'], columns: ['byte_size', 'content_hash'] },
}

/** A row is not what it was when the change was planned. */
export class StaleRow extends Error {
  override readonly name = 'StaleRow'
  readonly change: RowChange

  constructor(change: RowChange) {
    super(`${change.table} ${JSON.stringify(change.key)} is not as it was`)
    this.change = change
  }
}

const isRemoval = (change: RowChange): boolean => change.after === null
const isAddition = (change: RowChange): boolean => change.before === null

/** The order in which references allow rows to be removed. Rows are added in the opposite order. */
const PASSES: readonly ((change: RowChange) => boolean)[] = [
  ({ table, before }) => table === 'context_items' && before !== null,
  (change) => isEdge(change) && isRemoval(change),
  (change) => change.table === 'summaries' && isRemoval(change),
  (change) => change.table === 'summaries' && isAddition(change),
  (change) => change.table !== 'context_items' && !isRemoval(change) && !isAddition(change),
  (change) => isEdge(change) && isAddition(change),
  ({ table, after }) => table === 'context_items' && after !== null,
  (change) => change.table === 'conversation_locks' && isRemoval(change),
]

const isEdge = ({ table }: RowChange): boolean => table === 'summary_messages' || table === 'summary_sources'

/** One statement with its values. */
export type Statement = { readonly sql: string; readonly params: SqlParams }

/** Statements of some changes in an order that references allow. Rows of indexes and of the schema have none. */
export function* statementsOf(changes: readonly RowChange[]): Iterable<Statement & { readonly change: RowChange }> {
  const known = changes.filter((change) => WRITABLE[change.table])
  for (const [pass, isDue] of PASSES.entries()) {
    for (const change of known) {
      if (!isDue(change)) continue
      // An entry that moves is removed first and added last, because ordinals are unique.
      const half =
        change.table !== 'context_items'
          ? change
          : pass === 0
            ? { ...change, after: null }
            : { ...change, before: null }
      yield { change, ...toStatement(half) }
    }
  }
}

/**
 * Writes the rows. Call it inside a transaction.
 * @throws StaleRow when a row is not what `before` says
 */
export function writeRows(db: WriteDb, changes: readonly RowChange[]): void {
  for (const { change, sql, params } of statementsOf(changes)) {
    if (db.run(sql, params) !== 1) throw new StaleRow(change)
  }
}

function toStatement(change: RowChange): Statement {
  const { table, before, after } = change
  const shape = WRITABLE[table]
  if (!shape) throw new Error(`${table} is not written by repairs`)
  for (const name of Object.keys({ ...change.key, ...before, ...after })) {
    if (!shape.columns.includes(name) && !shape.key.includes(name))
      throw new Error(`${table}.${name} is not written by repairs`)
  }
  // An entry of the window is recognised by its ordinal and by the message or summary that it names.
  const key = table === 'context_items' && before ? { ...change.key, ordinal: before.ordinal ?? null } : change.key
  const where = Object.keys(key).map((name) => `${name} = :k_${name}`)
  const was = Object.keys(before ?? {}).filter((name) => !(name in key) && name !== 'item_type')
  const unchanged = was.map((name) => `${name} IS :b_${name}`)
  const params = { ...prefixed('k', key), ...prefixed('b', pick(before ?? {}, was)) }
  if (after === null) {
    return { sql: /* sql */ `DELETE FROM ${table} WHERE ${[...where, ...unchanged].join(' AND ')}`, params }
  }
  if (before === null) {
    const row = { ...change.key, ...after }
    const names = Object.keys(row)
    const sql = /* sql */ `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `:a_${name}`).join(', ')})`
    return { sql, params: prefixed('a', row) }
  }
  const set = Object.keys(after).map((name) => `${name} = :a_${name}`)
  const sql = /* sql */ `UPDATE ${table} SET ${set.join(', ')} WHERE ${[...where, ...unchanged].join(' AND ')}`
  return { sql, params: { ...params, ...prefixed('a', after) } }
}

const prefixed = (prefix: string, cells: Cells): SqlParams =>
  Object.fromEntries(Object.entries(cells).map(([name, value]) => [`${prefix}_${name}`, value]))

const pick = (cells: Cells, names: readonly string[]): Cells =>
  Object.fromEntries(names.map((name) => [name, cells[name] ?? null]))

/** The statement as a person could run it, with values instead of parameters. */
export function renderSql({ sql, params }: Statement): string {
  return `${sql.replace(/:([kba]_\w+)/g, (_all, name: string) => literal(params[name] ?? null))};`
}

function literal(value: SqlParams[string]): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  const text = String(value)
  // A NUL would end the statement where the shell reads it.
  return text.includes('\0')
    ? `CAST(x'${Buffer.from(text, 'utf8').toString('hex')}' AS TEXT)`
    : `'${text.replaceAll("'", "''")}'`
}
