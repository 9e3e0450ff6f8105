import { CompactionReason } from '../../contract/compaction.ts'
import type { ReadDb, SqlParams, SqlValue, WriteDb } from '../../sqlite/read-db.ts'
import { CANONICAL } from '../../systems/canonical.ts'
import type { RowFitter } from './fit-rows.ts'

/** What a system recorded of its compactions and of work by hand. Locks belong to the process that holds them. */
const RECORDS = ['compaction_runs', 'compaction_events', 'surgery_events'] as const
type Records = (typeof RECORDS)[number]

/** What asked for a run, as native files name it; where another system does not record it, its upkeep. */
const reasonOf = (reason: SqlValue | undefined) => CompactionReason.catch('maintenance').parse(reason)

/** Carries the history of compactions over, so that time travel goes as far back in the copy. */
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

/** Values that a native row must have and other systems do not record. */
function withDefaults(table: Records, row: Readonly<Record<string, SqlValue>>, fitter: RowFitter): SqlParams {
  // Where messages got another `seq`, a recorded range does not say what was compacted any more.
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
