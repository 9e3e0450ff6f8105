import type { RowChange } from '../contract/repair.ts'
import type { ReadDb } from '../db/read-db.ts'
import { type Fixer, plural } from './fixer.ts'

const queries = {
  staleLocks: `
    SELECT owner, acquired_at, lease_until FROM conversation_locks
    WHERE conversation_id = :conversationId AND lease_until < CAST(:nowMs AS INTEGER)`,
  openRuns: `
    SELECT r.run_id AS runId, r.started_at AS startedAtMs, r.tokens_before AS tokensBefore,
      (SELECT max(e.at) FROM compaction_events AS e WHERE e.run_id = r.run_id) AS lastAtMs,
      (SELECT sum(e.source_tokens - e.tokens) FROM compaction_events AS e WHERE e.run_id = r.run_id) AS saved
    FROM compaction_runs AS r
    WHERE r.conversation_id = :conversationId AND r.finished_at IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM conversation_locks AS l
        WHERE l.conversation_id = r.conversation_id AND l.lease_until >= CAST(:nowMs AS INTEGER)
      )`,
}

/** What a run that was cut off is recorded to have ended with. */
const CUT_OFF = 'abandoned'

/** A run is not abandoned while its conversation is locked: who drops the lock closes the run as well. */
const dropLocks: Fixer = {
  checks: ['stale_lock'],
  reads: ['operations'],
  *fix({ db, clock, conversationId }) {
    if (conversationId === null) return
    type Row = { owner: string; acquired_at: number; lease_until: number }
    const locks = db.all<Row>(queries.staleLocks, { conversationId, nowMs: clock() })
    if (locks.length === 0) return
    const runs = openRuns(db, conversationId, clock())
    yield {
      title: 'Drop the lock of an owner that is gone',
      rule: `${locks[0]?.owner ?? 'Its owner'} let its lease run out.${runs.length > 0 ? ` ${CLOSING}` : ''}`,
      risk: 'safe',
      nodes: [],
      fixes: runs.length > 0 ? ['abandoned_run'] : [],
      changes: [
        ...locks.map(
          (before): RowChange => ({
            table: 'conversation_locks',
            key: { conversation_id: conversationId },
            before,
            after: null,
          }),
        ),
        ...runs.map(closing),
      ],
    }
  },
}

const closeRuns: Fixer = {
  checks: ['abandoned_run'],
  reads: ['operations'],
  *fix({ db, clock, conversationId, findings }) {
    if (conversationId === null || findings('stale_lock').length > 0) return
    const runs = openRuns(db, conversationId, clock())
    if (runs.length === 0) return
    yield {
      title: `Close ${plural(runs.length, 'compaction run')} that never finished`,
      rule: CLOSING,
      risk: 'safe',
      nodes: [],
      changes: runs.map(closing),
    }
  },
}

const CLOSING = `A run that was cut off is recorded to have ended with its last replacement, stop reason "${CUT_OFF}".`

type OpenRun = {
  readonly runId: string
  readonly startedAtMs: number
  readonly tokensBefore: number
  readonly lastAtMs: number | null
  readonly saved: number | null
}

const openRuns = (db: ReadDb, conversationId: number, nowMs: number): OpenRun[] =>
  db.all<OpenRun>(queries.openRuns, { conversationId, nowMs })

const closing = ({ runId, startedAtMs, tokensBefore, lastAtMs, saved }: OpenRun): RowChange => ({
  table: 'compaction_runs',
  key: { run_id: runId },
  before: { finished_at: null },
  after: {
    finished_at: lastAtMs ?? startedAtMs,
    tokens_after: Math.max(0, tokensBefore - (saved ?? 0)),
    stop_reason: CUT_OFF,
  },
})

export const operationFixes: readonly Fixer[] = [dropLocks, closeRuns]
