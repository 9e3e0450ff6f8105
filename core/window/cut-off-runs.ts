import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'

const queries = {
  /** The last run that changed something was cut off before it had made its last leaf. */
  cutOff: /* sql */ `
    SELECT 1 FROM compaction_runs AS r
    WHERE r.run_id = (
        SELECT e.run_id FROM compaction_events AS e WHERE e.conversation_id = :conversationId
        ORDER BY e.event_id DESC LIMIT 1)
      AND (r.finished_at IS NULL OR r.stop_reason IN ('abandoned', 'cancelled', 'deadline', 'cap', 'conflict'))
      AND r.mode <> 'condense'
      AND NOT EXISTS (SELECT 1 FROM compaction_events AS c WHERE c.run_id = r.run_id AND c.pass = 'condensed')`,
  open: /* sql */ `
    SELECT r.run_id AS runId, r.started_at AS startedAtMs, r.tokens_before AS tokensBefore,
      (SELECT max(e.at) FROM compaction_events AS e WHERE e.run_id = r.run_id) AS lastAtMs,
      (SELECT sum(e.source_tokens - e.tokens) FROM compaction_events AS e WHERE e.run_id = r.run_id) AS saved
    FROM compaction_runs AS r
    WHERE r.conversation_id = :conversationId AND r.finished_at IS NULL`,
  close: /* sql */ `
    UPDATE compaction_runs SET finished_at = CAST(:finished_at AS INTEGER),
      tokens_after = CAST(:tokens_after AS INTEGER), stop_reason = :stop_reason
    WHERE run_id = :runId AND finished_at IS NULL`,
}

/** What a run that was cut off is recorded to have ended with. */
export const CUT_OFF = 'abandoned'

export type OpenRun = {
  readonly runId: string
  readonly startedAtMs: number
  readonly tokensBefore: number
  readonly lastAtMs: number | null
  readonly saved: number | null
}

/** Runs of a conversation whose end was never recorded. */
export const readOpenRuns = (db: ReadDb, conversationId: number): OpenRun[] =>
  db.all<OpenRun>(queries.open, { conversationId })

/** How such a run ended: with its last replacement. */
export const endOf = ({ startedAtMs, tokensBefore, lastAtMs, saved }: OpenRun) => ({
  finished_at: lastAtMs ?? startedAtMs,
  tokens_after: Math.max(0, tokensBefore - (saved ?? 0)),
  stop_reason: CUT_OFF,
})

/** Records the end of runs that nobody works on any more: whoever holds the conversation's lock knows that. */
export function closeCutOffRuns(db: WriteDb, conversationId: number): void {
  for (const run of readOpenRuns(db, conversationId)) db.run(queries.close, { runId: run.runId, ...endOf(run) })
}

/**
 * Whether the next run goes on with one that was cut off among its leaves. It ends where that one would have ended:
 * the few messages that are left are no reason to do nothing.
 */
export const isLeafPassOpen = (db: ReadDb, conversationId: number): boolean =>
  db.value(queries.cutOff, { conversationId }) !== undefined
