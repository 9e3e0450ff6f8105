import { SummaryLevel } from '../contract/ids.ts'
import { Attempt, type CompactionRunRecord, type RunsInput } from '../contract/time-travel.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { isNoName, shownValue } from '../sqlite/shown-values.ts'
import { prunedByRun, readPruned } from '../systems/reading/pruned-outputs.ts'

const queries = {
  runs: /* sql */ `
    SELECT run_id AS runId, ${shownValue('compaction_runs.reason', 'compaction_runs')} AS reason, mode, summarizer, owner, started_at AS startedAtMs, finished_at AS finishedAtMs,
      tokens_before AS tokensBefore, tokens_after AS tokensAfter, stop_reason AS stopReason,
      model_input_tokens AS modelInputTokens, model_output_tokens AS modelOutputTokens, model_cost AS cost
    FROM compaction_runs
    WHERE conversation_id = :conversationId AND (:runId IS NULL OR run_id = :runId)
    ORDER BY started_at DESC, run_id DESC`,
  created: /* sql */ `
    SELECT e.run_id AS runId, e.summary_id AS id, ${shownValue('compaction_events.pass', 'e')} AS pass, coalesce(s.depth, iif(e.pass = 'leaf', 0, 1)) AS depth,
      e.level AS level, e.source_tokens AS sourceTokens, e.tokens AS tokens, e.duration_ms AS durationMs,
      e.attempts AS attempts
    FROM compaction_events AS e
    LEFT JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE e.conversation_id = :conversationId AND (:runId IS NULL OR e.run_id = :runId)
      AND NOT (${isNoName('e.summary_id')})
    ORDER BY e.event_id`,
  counts: /* sql */ `
    SELECT run_id, count(*) FROM compaction_events
    WHERE conversation_id = :conversationId AND (:runId IS NULL OR run_id = :runId)
      AND NOT (${isNoName('summary_id')})
    GROUP BY run_id`,
} as const

type Created = CompactionRunRecord['created'][number]
type EventRow = Omit<Created, 'kind' | 'attempts'> & {
  readonly runId: string
  readonly pass: 'leaf' | 'condensed'
  readonly attempts: string
}

/**
 * The compactions that this app has made in a conversation. The list is empty for other systems, which keep no such
 * record.
 */
export class CompactionHistory {
  readonly #db: ReadDb

  constructor(db: ReadDb) {
    this.#db = db
  }

  /**
   * Returns runs, newest first, or a single one. Each has its nodes in order with every call to a summariser that led to
   * them, or their number alone, because a long compaction made thousands.
   */
  runs({ conversationId, runId, created }: RunsInput): CompactionRunRecord[] {
    const of = { conversationId, runId: runId ?? null }
    const counts = created === 'counted' ? new Map(this.#db.rows<[string, number]>(queries.counts, of)) : null
    const listed = counts ? new Map<string, Created[]>() : this.#created(of)
    const pruned = prunedByRun(readPruned(this.#db, conversationId))
    return this.#db.all<Omit<CompactionRunRecord, 'created'>>(queries.runs, of).map((run) => {
      const taken = pruned.get(run.runId)
      return {
        ...run,
        created: listed.get(run.runId) ?? [],
        ...(counts && { createdCount: counts.get(run.runId) ?? 0 }),
        ...(taken ? { pruned: taken } : {}),
      }
    })
  }

  #created(of: { readonly conversationId: number; readonly runId: string | null }): Map<string, Created[]> {
    const created = new Map<string, Created[]>()
    for (const row of this.#db.all<EventRow>(queries.created, of)) {
      const { runId, pass, ...event } = row
      const list = created.get(runId) ?? []
      list.push({ ...event, kind: pass, level: levelOf(event.level), attempts: attemptsOf(event.attempts) })
      created.set(runId, list)
    }
    return created
  }
}

const levelOf = (level: string): SummaryLevel => SummaryLevel.safeParse(level).data ?? 'unknown'

/** Calls that cannot be parsed are left out, so that the rest of the record is shown. */
function attemptsOf(json: string): Attempt[] {
  try {
    const parsed: unknown = JSON.parse(json)
    return Array.isArray(parsed) ? parsed.flatMap((attempt) => Attempt.safeParse(attempt).data ?? []) : []
  } catch {
    return []
  }
}
