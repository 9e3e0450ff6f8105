import type { WriteDb } from '../sqlite/read-db.ts'
import { type OpenRun, readOpenRuns } from '../systems/records/runs.ts'

const queries = {
  close: /* sql */ `
    UPDATE compaction_runs SET finished_at = CAST(:finished_at AS INTEGER),
      tokens_after = CAST(:tokens_after AS INTEGER), stop_reason = :stop_reason
    WHERE run_id = :runId AND finished_at IS NULL`,
}

/** The recorded stop reason of a run that was cut off. */
export const CUT_OFF = 'abandoned'

/** The recorded end of such a run is its last replacement. */
export const endOf = ({ startedAtMs, tokensBefore, lastAtMs, saved }: OpenRun) => ({
  finished_at: lastAtMs ?? startedAtMs,
  tokens_after: Math.max(0, tokensBefore - (saved ?? 0)),
  stop_reason: CUT_OFF,
})

/**
 * Records the end of runs whose process has ended. The caller holds the conversation's lock, so no process works on
 * them.
 */
export function closeCutOffRuns(db: WriteDb, conversationId: number): void {
  for (const run of readOpenRuns(db, conversationId)) db.run(queries.close, { runId: run.runId, ...endOf(run) })
}
