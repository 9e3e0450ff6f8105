import type { Clock } from '../clock.ts'
import type { TokenEstimator } from '../context/token-estimator.ts'
import type { CompactionSettings } from '../contract/compaction.ts'
import type { CheckResult, IntegrityReport, Sample } from '../contract/integrity.ts'
import type { JobProgress } from '../contract/job.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import type { ReadDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import type { Check, CheckContext, Finding } from './check.ts'
import { contentChecks } from './content-checks.ts'
import { contextChecks } from './context-checks.ts'
import { DagFacts } from './dag-facts.ts'
import { fileChecks } from './file-checks.ts'
import { lineageChecks } from './lineage-checks.ts'

/** Every check there is, in the order in which they run: quick ones first, whole-file scans last. */
export const checks: readonly Check[] = [
  ...lineageChecks,
  ...contextChecks,
  ...contentChecks.slice(1),
  ...fileChecks.slice(1),
  ...contentChecks.slice(0, 1),
  ...fileChecks.slice(0, 1),
]

const MAX_SAMPLES = 20
/** Longest stretch of work between two yields. */
const SLICE_MS = 40

type Dependencies = {
  readonly db: ReadDb
  readonly info: MemoryInfo
  readonly estimator: TokenEstimator
  readonly settings: CompactionSettings
  readonly clock: Clock
}

/** Verifies that a memory is what it says it is. Reads only. */
export class IntegrityChecker {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Runs every check, on one conversation or on all. Yields progress; can be cancelled between any two rows.
   * @throws LcmError cancelled, not_found, sqlite_failed
   */
  async *run(conversationId: number | undefined, signal: AbortSignal): AsyncGenerator<JobProgress, IntegrityReport> {
    const { db, info, clock } = this.#dependencies
    const startedAt = performance.now()
    if (
      conversationId !== undefined &&
      db.value('SELECT 1 FROM conversations WHERE conversation_id = :id', { id: conversationId }) === undefined
    ) {
      throw new LcmError('not_found', `There is no conversation ${conversationId} in ${info.path}.`)
    }
    const context = this.#context(conversationId ?? null)
    const results: CheckResult[] = []
    for (const check of checks) {
      yield { done: results.length, total: checks.length, unit: 'checks', note: check.id }
      results.push(yield* this.#one(check, context, signal, results.length))
    }
    const counted = { conversation: conversationId ?? null }
    return {
      ok: results.every((result) => result.count === 0 || result.severity === 'info'),
      checks: results,
      counts: {
        error: sum(results, 'error'),
        warning: sum(results, 'warning'),
        info: sum(results, 'info'),
      },
      messages:
        db.value<number>(
          'SELECT count(*) FROM messages WHERE :conversation IS NULL OR conversation_id = :conversation',
          counted,
        ) ?? 0,
      summaries:
        db.value<number>(
          'SELECT count(*) FROM summaries WHERE :conversation IS NULL OR conversation_id = :conversation',
          counted,
        ) ?? 0,
      durationMs: performance.now() - startedAt,
      finishedAtMs: clock(),
    }
  }

  /**
   * How often each check fires, all at once and without a pause: for a transaction, in which nothing may be waited for.
   * @throws LcmError sqlite_failed
   */
  countNow(): ReadonlyMap<string, number> {
    const context = this.#context(null)
    return new Map(checks.map((check) => [check.id, findAll(check, context).length]))
  }

  /** Everything that some checks find, not only samples. Unknown ids find nothing. */
  findNow(ids: readonly string[], conversationId: number | null): ReadonlyMap<string, readonly Finding[]> {
    const context = this.#context(conversationId)
    const asked = checks.filter((check) => ids.includes(check.id))
    return new Map(asked.map((check) => [check.id, findAll(check, context)]))
  }

  #context(conversationId: number | null): CheckContext {
    const { db, info, settings, clock } = this.#dependencies
    let facts: DagFacts | undefined
    const dag = (): DagFacts => {
      facts ??= new DagFacts(db, null)
      return facts
    }
    return { db, info, settings, clock, conversationId, dag }
  }

  async *#one(
    check: Check,
    context: CheckContext,
    signal: AbortSignal,
    done: number,
  ): AsyncGenerator<JobProgress, CheckResult> {
    const startedAt = performance.now()
    const notApplicable = check.notApplicable?.(context) ?? null
    const samples: Sample[] = []
    let count = 0
    let sliceAt = startedAt
    for (const finding of notApplicable === null ? check.find(context) : []) {
      if (finding !== null) {
        count += 1
        if (samples.length < MAX_SAMPLES) samples.push(finding)
      }
      if (performance.now() - sliceAt < SLICE_MS) continue
      if (signal.aborted) throw new LcmError('cancelled', 'The scan was cancelled. Nothing was changed.')
      yield { done, total: checks.length, unit: 'checks', note: check.id }
      await new Promise((resume) => setImmediate(resume))
      sliceAt = performance.now()
    }
    if (signal.aborted) throw new LcmError('cancelled', 'The scan was cancelled. Nothing was changed.')
    await new Promise((resume) => setImmediate(resume))
    const { id, group, severity, invariant, explanation, repairable } = check
    return {
      id,
      group,
      severity,
      invariant,
      explanation,
      repairable,
      count,
      samples,
      notApplicable,
      durationMs: performance.now() - startedAt,
    }
  }
}

function findAll(check: Check, context: CheckContext): Finding[] {
  if ((check.notApplicable?.(context) ?? null) !== null) return []
  return [...check.find(context)].filter((finding) => finding !== null)
}

function sum(results: readonly CheckResult[], severity: CheckResult['severity']): number {
  return results.filter((result) => result.severity === severity && result.count > 0).length
}
