import type { CompactInput, CompactionSettings, StopReason } from '../contract/compaction.ts'
import type { Spend } from '../models/summarizers/summarizer.ts'
import type { WriteDb } from '../sqlite/read-db.ts'

const queries = {
  begin: /* sql */ `
    INSERT INTO compaction_runs
      (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, tokens_before)
    VALUES (:runId, :conversationId, :reason, :mode, :summarizer, :configuration, :owner, :startedAtMs, :tokensBefore)`,
  finish: /* sql */ `
    UPDATE compaction_runs SET finished_at = CAST(:nowMs AS INTEGER), tokens_after = CAST(:tokensAfter AS INTEGER),
      stop_reason = :stopReason
    WHERE run_id = :runId`,
  spend: /* sql */ `
    UPDATE compaction_runs SET model_input_tokens = CAST(:inputTokens AS INTEGER),
      model_output_tokens = CAST(:outputTokens AS INTEGER), model_cost = :cost
    WHERE run_id = :runId`,
} as const

export type RunStart = {
  readonly runId: string
  readonly input: CompactInput
  readonly settings: Readonly<CompactionSettings>
  readonly owner: string
  readonly startedAtMs: number
  readonly tokensBefore: number
}

/** Written with the first replacement of a run, so that a run that changes nothing leaves no record. */
export function recordBegin(db: WriteDb, start: RunStart): void {
  const { input } = start
  db.run(queries.begin, {
    runId: start.runId,
    conversationId: input.conversationId,
    reason: input.reason,
    mode: input.mode,
    summarizer: input.summarizer,
    configuration: JSON.stringify({ ...start.settings, targetTokens: input.targetTokens ?? null }),
    owner: start.owner,
    startedAtMs: start.startedAtMs,
    tokensBefore: start.tokensBefore,
  })
}

export function recordFinish(
  db: WriteDb,
  end: {
    readonly runId: string
    readonly nowMs: number
    readonly tokensAfter: number
    readonly stopReason: StopReason
  },
): void {
  db.run(queries.finish, end)
}

/** Records what the run has sent to models so far, in case it is cut off later. */
export function recordSpend(db: WriteDb, runId: string, { inputTokens, outputTokens, cost }: Spend): void {
  db.run(queries.spend, { runId, inputTokens, outputTokens, cost })
}
