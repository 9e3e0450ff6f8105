import type { Overview } from '#core/contract/memory.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

/** The recorded stop reason of a run that was taken back: its summaries are gone, and its window is as it was before. */
export const UNDONE = 'undone'

const queries = {
  ofConversation: /* sql */ `
    SELECT r.run_id AS runId, r.started_at AS atMs, r.reason, r.tokens_before AS tokensBefore,
      r.tokens_after AS tokensAfter,
      (SELECT count(*) FROM compaction_events AS e WHERE e.run_id = r.run_id) AS created, r.stop_reason AS stopReason
    FROM compaction_runs AS r
    WHERE r.conversation_id = :conversationId
    ORDER BY r.started_at DESC, r.run_id`,
  open: /* sql */ `
    SELECT r.run_id AS runId, r.started_at AS startedAtMs, r.tokens_before AS tokensBefore,
      (SELECT max(e.at) FROM compaction_events AS e WHERE e.run_id = r.run_id) AS lastAtMs,
      (SELECT sum(e.source_tokens - e.tokens) FROM compaction_events AS e WHERE e.run_id = r.run_id) AS saved
    FROM compaction_runs AS r
    WHERE r.conversation_id = :conversationId AND r.finished_at IS NULL`,
  started: /* sql */ `
    SELECT
      r.run_id AS runId,
      r.started_at AS atMs,
      (
        SELECT e.newest_seq
        FROM compaction_events AS e
        WHERE e.run_id = r.run_id AND e.newest_seq IS NOT NULL
        ORDER BY e.event_id DESC
        LIMIT 1
      ) AS newestSeq
    FROM compaction_runs AS r
    WHERE r.conversation_id = :conversationId AND r.stop_reason IS NOT '${UNDONE}'
    ORDER BY r.started_at, r.run_id`,
  /** The last run that changed something was cut off before it had made its last leaf. */
  openLeafPass: /* sql */ `
    SELECT 1 FROM compaction_runs AS r
    WHERE r.run_id = (
        SELECT e.run_id FROM compaction_events AS e JOIN compaction_runs AS w ON w.run_id = e.run_id
        WHERE e.conversation_id = :conversationId AND w.stop_reason IS NOT '${UNDONE}'
        ORDER BY e.event_id DESC LIMIT 1)
      AND (r.finished_at IS NULL OR r.stop_reason IN ('abandoned', 'cancelled', 'deadline', 'cap', 'conflict'))
      AND r.mode <> 'condense'
      AND NOT EXISTS (SELECT 1 FROM compaction_events AS c WHERE c.run_id = r.run_id AND c.pass = 'condensed')`,
  undone: /* sql */ `
    SELECT run_id FROM compaction_runs WHERE conversation_id = :conversationId AND stop_reason = '${UNDONE}'`,
}

/** Compaction runs of a conversation with the number of their summaries, newest first. */
export const runsOf = (db: ReadDb, conversationId: number): Overview['runs'] =>
  db.all<Overview['runs'][number]>(queries.ofConversation, { conversationId })

/** A run, with the seq of the newest message at its last replacement; null when that was not recorded. */
type StartedRun = { readonly runId: string; readonly atMs: number; readonly newestSeq: number | null }

/** Runs of a conversation that were not taken back, oldest first. */
export const startedRuns = (db: ReadDb, conversationId: number): StartedRun[] =>
  db.all<StartedRun>(queries.started, { conversationId })

/** A run without a recorded end. */
export type OpenRun = {
  readonly runId: string
  readonly startedAtMs: number
  readonly tokensBefore: number
  /** When it made its last summary. */
  readonly lastAtMs: number | null
  /** Tokens by which its summaries made the window smaller. */
  readonly saved: number | null
}

/** Runs of a conversation whose end was never recorded. */
export const readOpenRuns = (db: ReadDb, conversationId: number): OpenRun[] =>
  db.all<OpenRun>(queries.open, { conversationId })

/**
 * Whether the next run goes on with one that was cut off among its leaves. It ends where that one would have ended:
 * the few messages that are left are no reason to do nothing.
 */
export const isLeafPassOpen = (db: ReadDb, conversationId: number): boolean =>
  db.value(queries.openLeafPass, { conversationId }) !== undefined

/** The runs of a conversation that were taken back. */
export const undoneRuns = (db: ReadDb, conversationId: number): ReadonlySet<string> =>
  new Set(db.column<string>(queries.undone, { conversationId }))
