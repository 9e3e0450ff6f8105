import { readLocks, whyHoldsNobody } from '../../compaction/conversation-lock.ts'
import type { RowChange } from '../../contract/repair.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { CUT_OFF, endOf, type OpenRun, readOpenRuns } from '../../window/cut-off-runs.ts'
import { type Fixer, plural } from '../rules/fix.ts'

/** A run is not abandoned while its conversation is locked: who drops the lock closes the run as well. */
const dropLocks: Fixer = {
  checks: ['stale_lock'],
  reads: ['operations'],
  *fix({ db, clock, conversationId }) {
    if (conversationId === null) return
    const nowMs = clock()
    const locks = readLocks(db, conversationId).filter((lock) => whyHoldsNobody(lock, nowMs) !== null)
    if (locks.length === 0) return
    const runs = readOpenRuns(db, conversationId)
    yield {
      title: 'Drop the lock of an owner that is gone',
      rule: `${locks.map((lock) => `${lock.owner}, ${whyHoldsNobody(lock, nowMs)}`).join('; ')}.${runs.length > 0 ? ` ${CLOSING}` : ''}`,
      risk: 'safe',
      nodes: [],
      fixes: runs.length > 0 ? ['abandoned_run'] : [],
      changes: [
        ...locks.map(
          ({ owner, acquiredAtMs, leaseUntilMs }): RowChange => ({
            table: 'conversation_locks',
            key: { conversation_id: conversationId },
            before: { owner, acquired_at: acquiredAtMs, lease_until: leaseUntilMs },
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

/** None while somebody works on the conversation. */
const openRuns = (db: ReadDb, conversationId: number, nowMs: number): OpenRun[] =>
  readLocks(db, conversationId).some((lock) => whyHoldsNobody(lock, nowMs) === null)
    ? []
    : readOpenRuns(db, conversationId)

const closing = (run: OpenRun): RowChange => ({
  table: 'compaction_runs',
  key: { run_id: run.runId },
  before: { finished_at: null },
  after: endOf(run),
})

export const operationFixes: readonly Fixer[] = [dropLocks, closeRuns]
