import type { WriteDb } from '../db/read-db.ts'

const queries = {
  begin: `
    INSERT INTO compaction_runs
      (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, finished_at, tokens_before,
       tokens_after, stop_reason)
    VALUES (:runId, :conversationId, :reason, :mode, :importer, :configuration, 'import', :atMs, :atMs, :tokensBefore,
       :tokensBefore, 'imported')`,
  finish: `
    UPDATE compaction_runs SET tokens_after = (
      SELECT coalesce(sum(coalesce(m.token_count, s.token_count)), 0)
      FROM context_items AS c
      LEFT JOIN messages AS m ON m.message_id = c.message_id
      LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
      WHERE c.conversation_id = :conversationId
    ) WHERE run_id = :runId`,
}

/** What an agent did to its window, as a run of the event log. */
export type ImportedRun = {
  readonly runId: string
  readonly conversationId: number
  readonly importer: string
  /** `branch`: a branch was given up. */
  readonly mode: 'full' | 'branch'
  readonly reason: 'threshold' | 'manual'
  readonly configuration: Readonly<Record<string, unknown>>
  readonly atMs: number
  readonly tokensBefore: number
}

export function beginImportedRun(db: WriteDb, run: ImportedRun): void {
  db.run(queries.begin, { ...run, configuration: JSON.stringify(run.configuration), atMs: Math.round(run.atMs) })
}

/** To be called when the window is what the run made of it. */
export function finishImportedRun(db: WriteDb, runId: string, conversationId: number): void {
  db.run(queries.finish, { runId, conversationId })
}
