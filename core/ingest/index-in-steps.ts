import type { JobProgress } from '../contract/job.ts'
import { indexMessages, prepareForMany } from '../sqlite/ingest-index.ts'
import { nextKey } from '../sqlite/keyset.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { yieldToOthers } from '../yielding.ts'

/** Row numbers may be far apart, so rows are counted in their order. The texts of one step have some megabytes. */
const STEP_ROWS = 1000

const queries = {
  next: (table: 'messages' | 'summaries', id: string) => /* sql */ `
    SELECT max(${id}) FROM (SELECT ${id} FROM ${table} WHERE ${id} > CAST(:after AS INTEGER) ORDER BY ${id} LIMIT ${STEP_ROWS})`,
  summaries: (index: 'summaries_fts' | 'summaries_trigram') => /* sql */ `
    INSERT INTO ${index} (rowid, content)
    SELECT summary_rowid, content FROM summaries
    WHERE summary_rowid > CAST(:after AS INTEGER) AND summary_rowid <= CAST(:last AS INTEGER)`,
  messageCount: /* sql */ 'SELECT count(*) FROM messages',
}

/**
 * Fills the search indexes of a file that has all its rows but no index triggers. Each step is a transaction.
 * @throws LcmError cancelled, disk_full
 */
export async function* indexInSteps(db: WriteDb, signal: AbortSignal): AsyncGenerator<JobProgress, void> {
  const total = db.value<number>(queries.messageCount) ?? 0
  let done = 0
  db.transaction(() => prepareForMany(db))
  const steps = [
    { next: queries.next('messages', 'message_id'), fill: indexMessages },
    { next: queries.next('summaries', 'summary_rowid'), fill: indexSummaries },
  ]
  for (const { next, fill } of steps) {
    let after = Number.MIN_SAFE_INTEGER
    for (;;) {
      const last = db.value<number | null>(next, { after }) ?? null
      if (last === null) break
      const range = { after, last }
      db.transaction(() => fill(db, range))
      after = nextKey(db, 'the numbers of rows', after, last)
      done = Math.min(total, done + STEP_ROWS)
      yield { done, total, unit: 'messages', note: 'search index' }
      await yieldToOthers(signal, 'Cancelled while the search index was made; no file was made.')
    }
  }
}

function indexSummaries(db: WriteDb, range: { readonly after: number; readonly last: number }): void {
  for (const index of ['summaries_fts', 'summaries_trigram'] as const) db.run(queries.summaries(index), range)
}
