import { CompactionReason } from '#core/contract/compaction.ts'
import type { ReadDb, SqlParams, SqlValue, WriteDb } from '#core/sqlite/read-db.ts'
import { CANONICAL } from '#core/systems/canonical.ts'
import type { RowFitter } from './fit-rows.ts'

/**
 * Records of compactions and of changes by hand. Locks belong to the process that holds them, so they are not copied.
 */
const RECORDS = ['compaction_runs', 'compaction_events', 'surgery_events'] as const
type Records = (typeof RECORDS)[number]

/**
 * Returns the reason for a run in the words of native files. When another system does not record it, it is maintenance.
 */
const reasonOf = (reason: SqlValue | undefined) => CompactionReason.catch('maintenance').parse(reason)

/** Copies the history of compactions, so that time travel reaches as far back in the copy. */
export function copyRecords(from: ReadDb, to: WriteDb, fitter: RowFitter): void {
  for (const table of RECORDS) {
    const columns = (CANONICAL[table] ?? []).join(', ')
    const values = (CANONICAL[table] ?? []).map((column) => `:${column}`).join(', ')
    const insert = /* sql */ `INSERT OR IGNORE INTO ${table} (${columns}) VALUES (${values})`
    for (const row of from.iterate<Record<string, SqlValue>>(/* sql */ `SELECT ${columns} FROM ${table}`)) {
      to.run(insert, withDefaults(table, row, fitter))
    }
  }
}

/** Adds values that a native row needs and other systems do not record. */
function withDefaults(table: Records, row: Readonly<Record<string, SqlValue>>, fitter: RowFitter): SqlParams {
  // When messages got another `seq`, a recorded range does not tell any more what was compacted.
  const newest = fitter.renumbered.has(Number(row.conversation_id)) ? null : (row.newest_seq ?? null)
  switch (table) {
    case 'compaction_runs':
      return {
        ...row,
        reason: reasonOf(row.reason),
        started_at: row.started_at ?? 0,
        tokens_before: row.tokens_before ?? 0,
        model_input_tokens: row.model_input_tokens ?? 0,
        model_output_tokens: row.model_output_tokens ?? 0,
      }
    case 'compaction_events':
      return { ...row, newest_seq: newest, at: row.at ?? 0, attempts: row.attempts ?? '[]' }
    case 'surgery_events':
      return { ...row, newest_seq: newest }
  }
}
