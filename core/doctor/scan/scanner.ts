import type { ByDesign, CheckPhase, CheckResult, IntegrityReport, Sample } from '#core/contract/integrity.ts'
import type { JobProgress } from '#core/contract/job.ts'
import { LcmError } from '#core/errors.ts'
import { logEvent, memoryKey } from '#core/log.ts'
import type { MemoryRows } from '#core/memory/memory.ts'
import { isNative } from '#core/systems/native/native.ts'
import { changeStamp } from '#core/systems/reading/change-stamp.ts'
import { readingMemory } from '#core/systems/reading/read-memory.ts'
import { NUMBERS_FROM_SOURCES, readingSummaries } from '#core/systems/reading/read-summaries.ts'
import { conversationExists } from '#core/systems/records/conversations.ts'
import { isRepairable, type Rule, type RuleContext } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'
import { TimeSlice, throwIfCancelled } from '#core/yielding.ts'
import { rules } from '../rules/rules.ts'
import { tableLost } from '../rules/tables.ts'
import { storedDifferences } from './copy-differences.ts'
import { type ContextTools, contextOf } from './rule-context.ts'
import { type ScanStep, scan, severityOf } from './scan.ts'

const queries = {
  /** While this statement is not finished, the read transaction stays open. */
  hold: /* sql */ `SELECT rootpage FROM main.sqlite_schema`,
}

const MAX_SAMPLES = 20
const CANCELLED = 'The check was cancelled. Nothing was changed.'

/** Nodes that are known exceptions of a rule, by its id: no repair may change what the rule is about. */
export type Excepted = ReadonlyMap<string, ReadonlySet<string>>

/** A report with what a plan needs of the same scan. */
export type Examination = {
  readonly report: IntegrityReport
  /** All findings of the requested rules by rule id. A report holds samples only. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>
  /** The nodes of the known exceptions of each asked rule. */
  readonly excepted: Excepted
  /**
   * Returns the rows of the file for a draft. It uses the rows of the scan as long as nobody has written to the file
   * since.
   */
  readonly readRows: () => Generator<void, MemoryRows>
}

/** Verifies the invariants of a memory. It only reads. */
export class Scanner {
  readonly #dependencies: ContextTools

  constructor(dependencies: ContextTools) {
    this.#dependencies = dependencies
  }

  /**
   * Runs every rule, or those of one phase, on one conversation or on all. It yields progress and can be cancelled
   * between any two rows. A file with damaged pages is checked as far as it can be read.
   * @throws LcmError cancelled, not_found, sqlite_failed
   */
  async *run(
    conversationId: number | undefined,
    signal: AbortSignal,
    only?: IntegrityReport['only'],
  ): AsyncGenerator<JobProgress, IntegrityReport> {
    const asked = only === undefined ? rules : rules.filter(({ phase }) => phase === only)
    const { report } = yield* this.examine(conversationId, signal, { asked, kept: [] })
    this.#log(conversationId, report)
    return only === undefined ? report : { ...report, only }
  }

  /**
   * Does the same as `run` for a plan: runs some rules, and keeps every finding of some of them.
   * @throws LcmError as `run`
   */
  async *examine(
    conversationId: number | undefined,
    signal: AbortSignal,
    { asked, kept }: { readonly asked: readonly Rule[]; readonly kept: readonly Rule[] },
  ): AsyncGenerator<JobProgress, Examination> {
    const { db, clock } = this.#dependencies
    const startedAt = performance.now()
    const stamp = changeStamp(db)
    const context = this.#context(conversationId ?? null)
    const unread = context.memory
    const report = new ReportBuilder(context, asked)
    const findings = new Map(kept.map(({ id }): [string, Finding[]] => [id, []]))
    const excepted = new Map(asked.map(({ id }): [string, Set<string>] => [id, new Set()]))
    const held = db.iterate(queries.hold)
    let note = 'reading'
    yield { done: 0, total: asked.length, unit: 'checks', note }
    const slice = new TimeSlice(signal, CANCELLED)
    try {
      held.next()
      throwIfCancelled(signal, CANCELLED)
      for (const step of scan(context, asked)) {
        // Only the structure phase needs one state of the file. A long reader would keep the log from shrinking.
        if (step?.kind === 'phase' && step.phase !== 'structure') held.return?.()
        report.add(step)
        if (step?.kind === 'found') {
          const { id } = step.finding
          if (step.byDesign === null) findings.get(step.rule.id)?.push(step.finding)
          else if (id !== null) excepted.get(step.rule.id)?.add(id)
        }
        if (step?.kind === 'rule') note = step.rule.id
        if (!slice.isOver) continue
        yield { done: report.done, total: asked.length, unit: 'checks', note }
        await slice.yield()
      }
    } finally {
      held.return?.()
    }
    throwIfCancelled(signal, CANCELLED)
    const { memory, system } = context
    const { storedNumbers } = system.facts
    return {
      report: { ...report.build(), durationMs: performance.now() - startedAt, finishedAtMs: clock() },
      findings,
      excepted,
      *readRows() {
        if (memory === unread || changeStamp(db) !== stamp) return yield* readingMemory(db)
        // A scan does not need the numbers that the system does not store. A draft does.
        if (storedNumbers.length === NUMBERS_FROM_SOURCES.length) return memory
        return { ...memory, summaries: yield* readingSummaries(db, NUMBERS_FROM_SOURCES) }
      },
    }
  }

  /**
   * Returns how often each rule finds something, without yielding. It is meant for use inside a transaction, which must
   * not wait.
   * @throws LcmError sqlite_failed
   */
  countNow(without: readonly string[] = []): ReadonlyMap<string, number> {
    const asked = rules.filter(({ id }) => !without.includes(id))
    const counts = new Map(asked.map(({ id }) => [id, 0]))
    for (const step of scan(this.#context(null), asked)) {
      if (step?.kind === 'found' && step.byDesign === null)
        counts.set(step.rule.id, (counts.get(step.rule.id) ?? 0) + 1)
    }
    return counts
  }

  /**
   * Returns everything that some rules find, not only samples. Unknown ids find nothing.
   * @throws LcmError not_found, sqlite_failed
   */
  findNow(ids: readonly string[], conversationId: number | null): ReadonlyMap<string, readonly Finding[]> {
    const asked = rules.filter((rule) => ids.includes(rule.id))
    const found = new Map(asked.map((rule): [string, Finding[]] => [rule.id, []]))
    for (const step of scan(this.#context(conversationId), asked)) {
      if (step?.kind === 'found' && step.byDesign === null) found.get(step.rule.id)?.push(step.finding)
    }
    return found
  }

  /** Logs a scan with all rules: what it found, by rule. */
  #log(conversationId: number | undefined, { checks, counts, messages, summaries, durationMs }: IntegrityReport): void {
    const fields = {
      memory: memoryKey(this.#dependencies.info.path),
      ...(conversationId !== undefined && { conversation_id: conversationId }),
    }
    for (const { id: check, severity, count } of checks) {
      if (count > 0 && severity !== 'info')
        logEvent('warn', 'integrity', 'check.failed', { ...fields, check, severity, count })
    }
    const { error: errors, warning: warnings } = counts
    const duration_ms = Math.round(durationMs * 100) / 100
    logEvent('info', 'integrity', 'scan.done', { ...fields, errors, warnings, messages, summaries, duration_ms })
  }

  #context(conversationId: number | null): RuleContext {
    const { db, info } = this.#dependencies
    if (conversationId !== null && !conversationExists(db, conversationId)) {
      throw new LcmError('not_found', `There is no conversation ${conversationId} in ${info.path}.`)
    }
    return { ...contextOf(this.#dependencies), conversationId }
  }
}

function adviceOf({ advice, isSettledByCommand }: Rule, { info }: RuleContext): string {
  if (advice !== undefined && isSettledByCommand !== true) return advice
  if (isNative(info)) return 'It can be repaired from what the file holds: make a repair plan ("lcm repair").'
  return `It can be repaired from what the file holds, in a working copy ("lcm copy"): a file of ${info.systemLabel} is never changed.`
}

/** If a table is missing, everything that it linked looks detached. */
const causesOf = ({ id, group, consequenceOf = [] }: Rule): readonly string[] =>
  id !== tableLost.id && (group === 'lineage' || group === 'context') ? [...consequenceOf, tableLost.id] : consequenceOf

type Tally = {
  readonly rule: Rule
  count: number
  readonly samples: Sample[]
  /** Findings that are by design of the system from which a working copy comes. `count` does not contain them. */
  readonly byDesign: { count: number; why: string; readonly samples: Sample[] }
  ended: Ended | null
}
type Ended = { readonly notApplicable: string | null; readonly durationMs: number }

/** Collects the steps of a scan into a report. */
class ReportBuilder {
  readonly #context: RuleContext
  readonly #tallies: ReadonlyMap<Rule, Tally>
  readonly #phases: { phase: CheckPhase; startedAt: number }[] = []
  readonly #byConversation = new Map<number, { errors: number; warnings: number }>()

  constructor(context: RuleContext, asked: readonly Rule[]) {
    this.#context = context
    this.#tallies = new Map(
      asked.map((rule) => [
        rule,
        { rule, count: 0, samples: [], byDesign: { count: 0, why: '', samples: [] }, ended: null },
      ]),
    )
  }

  get done(): number {
    let done = 0
    for (const { ended } of this.#tallies.values()) if (ended) done += 1
    return done
  }

  add(step: ScanStep): void {
    if (step === null || step.kind === 'rule') return
    if (step.kind === 'phase') {
      this.#phases.push({ phase: step.phase, startedAt: performance.now() })
      return
    }
    const tally = this.#tallies.get(step.rule)
    if (!tally) return
    if (step.kind === 'done') {
      tally.ended = { notApplicable: step.notApplicable, durationMs: step.durationMs }
      return
    }
    if (step.byDesign !== null) tally.byDesign.why = step.byDesign
    const of = step.byDesign === null ? tally : tally.byDesign
    const { id, conversationId, detail } = step.finding
    of.count += 1
    if (step.byDesign === null && conversationId !== null) this.#countAt(conversationId, step.rule)
    if (of.samples.length < MAX_SAMPLES) of.samples.push({ id, conversationId, detail })
  }

  #countAt(conversationId: number, rule: Rule): void {
    const severity = severityOf(rule, this.#context)
    if (severity === 'info') return
    const counts = this.#byConversation.get(conversationId) ?? { errors: 0, warnings: 0 }
    if (severity === 'error') counts.errors += 1
    else counts.warnings += 1
    this.#byConversation.set(conversationId, counts)
  }

  build(): Omit<IntegrityReport, 'durationMs' | 'finishedAtMs'> {
    const { memory, conversationId } = this.#context
    const fired = new Set([...this.#tallies.values()].filter(({ count }) => count > 0).map(({ rule }) => rule.id))
    const results = [...this.#tallies.values()].map((tally) => this.#result(tally, fired))
    const sum = (severity: CheckResult['severity']): number =>
      results.filter((result) => result.severity === severity && result.count > 0).length
    const isCounted = (of: number): boolean => conversationId === null || of === conversationId
    const endedAt = performance.now()
    return {
      ok: results.every((result) => result.count === 0 || result.severity === 'info'),
      checks: results,
      byDesign: [...this.#tallies.values()].flatMap((tally) => this.#byDesign(tally)),
      ...this.#copying(fired),
      ...(this.#byConversation.size > 0 && {
        byConversation: [...this.#byConversation].map(([of, counts]) => ({ conversationId: of, ...counts })),
      }),
      counts: { error: sum('error'), warning: sum('warning'), info: sum('info') },
      messages: memory.messages.ranges.reduce(
        (n, range) => n + (isCounted(range.conversationId) ? range.to - range.from : 0),
        0,
      ),
      summaries: memory.summaries.rows.filter((row) => isCounted(row.conversationId)).length,
      phases: this.#phases.map(({ phase, startedAt }, index) => ({
        phase,
        durationMs: (this.#phases[index + 1]?.startedAt ?? endedAt) - startedAt,
      })),
    }
  }

  #copying(fired: ReadonlySet<string>): Pick<IntegrityReport, 'copying'> {
    const { db, info } = this.#context
    const stored = isNative(info) ? storedDifferences(db) : null
    if (stored === null) return {}
    const copying = {
      settled: stored.settled.filter((id) => !fired.has(id)),
      brought: stored.brought.filter((id) => fired.has(id)),
    }
    return copying.settled.length + copying.brought.length > 0 ? { copying } : {}
  }

  #byDesign({ rule, byDesign: { count, why, samples } }: Tally): ByDesign[] {
    const origin = this.#context.baseline?.origin
    if (count === 0 || !origin) return []
    const { id, group, invariant } = rule
    const { system, systemLabel } = origin
    return [{ id, system, systemLabel, group, severity: 'info', invariant, why, count, samples }]
  }

  #result({ rule, count, samples, ended }: Tally, fired: ReadonlySet<string>): CheckResult {
    const { id, group, phase, invariant, explanation } = rule
    const severity = severityOf(rule, this.#context)
    return {
      id,
      group,
      severity,
      phase,
      invariant,
      explanation,
      repairable: isRepairable(rule),
      count,
      samples,
      ...(count > 0 && severity !== 'info' ? { advice: adviceOf(rule, this.#context) } : {}),
      // Findings count, even when the rest of the file could not be read.
      notApplicable: count > 0 ? null : (ended?.notApplicable ?? null),
      consequenceOf: count > 0 ? causesOf(rule).filter((other) => fired.has(other)) : [],
      durationMs: ended?.durationMs ?? 0,
    }
  }
}
