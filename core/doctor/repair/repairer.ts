import type { IntegrityReport } from '#core/contract/integrity.ts'
import type { JobProgress } from '#core/contract/job.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type {
  ExportedPlan,
  ExportFormat,
  RepairInput,
  RepairPlan,
  RepairPlanInput,
  RepairResult,
} from '#core/contract/repair.ts'
import { LcmError } from '#core/errors.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { isNative } from '#core/systems/native/native.ts'
import type { Rule } from '#core/systems/rules/rule.ts'
import { inSlices } from '#core/yielding.ts'
import { indexDamaged, isOfRows } from '../rules/damaged-indexes.ts'
import { rules } from '../rules/rules.ts'
import { tableLost } from '../rules/tables.ts'
import type { Excepted } from '../scan/scanner.ts'
import { ApplyRepairs } from './apply-repairs.ts'
import { exportPlan } from './export-plan.ts'
import { manualSteps, withLeftovers } from './leftovers.ts'
import { type Findings, planSteps } from './plan-steps.ts'
import type { Diagnosis, RepairAllInput, RepairerOptions } from './repairer-options.ts'
import { toPlan } from './shown-plan.ts'

/** Plans repairs of any file, and applies chosen steps to native files. */
export class Repairer {
  readonly #options: RepairerOptions

  constructor(options: RepairerOptions) {
    this.#options = options
  }

  /**
   * Scans and plans: every step with what it changes, what it costs and what it cannot restore. Writes nothing.
   * @param known a report of the same conversations in the same state of the file, instead of a scan
   */
  async *plan(
    input: RepairPlanInput,
    signal: AbortSignal,
    known: IntegrityReport | null = null,
  ): AsyncGenerator<JobProgress, RepairPlan> {
    const { info, clock } = this.#options
    const { report, steps } = yield* this.diagnose(input.conversationId, signal, known)
    return toPlan(report, steps, onlyExport(info), clock())
  }

  /**
   * Exports the whole plan as a text, with every row of every step.
   * @throws LcmError not_found, cancelled, sqlite_failed
   */
  async *export(
    input: RepairPlanInput & { readonly format: ExportFormat },
    signal: AbortSignal,
  ): AsyncGenerator<JobProgress, ExportedPlan> {
    const { info, clock } = this.#options
    const { steps } = yield* this.diagnose(input.conversationId, signal)
    return exportPlan({ steps, info, format: input.format, nowMs: clock() })
  }

  /**
   * Applies chosen steps with those on which they depend: first a backup, then one transaction, which is committed only
   * after a second scan.
   * @throws LcmError read_only_dialect, read_only_file, invalid_argument, plan_stale, locked, cancelled, disk_full
   */
  async *apply(input: RepairInput, signal: AbortSignal): AsyncGenerator<JobProgress, RepairResult> {
    const db = this.#options.requireWrite('repair')
    return yield* this.#applying(db).run(input, signal)
  }

  /**
   * Scans once and applies every step that needs no person. If there is none, nothing is written, and the plan says
   * what is left to do.
   * @throws LcmError as `apply`
   */
  async *applyAll(
    input: RepairAllInput,
    signal: AbortSignal,
  ): AsyncGenerator<JobProgress, { readonly applied: RepairResult } | { readonly plan: RepairPlan }> {
    const { info, clock, requireWrite } = this.#options
    const db = requireWrite('repair')
    const done = yield* this.#applying(db).runAll(input, signal)
    return 'report' in done ? { plan: toPlan(done.report, done.steps, onlyExport(info), clock()) } : { applied: done }
  }

  #applying(db: WriteDb): ApplyRepairs {
    return new ApplyRepairs({ ...this.#options, db }, (conversationId, signal) => this.diagnose(conversationId, signal))
  }

  /** @throws LcmError not_found, cancelled, sqlite_failed */
  async *diagnose(
    conversationId: number | undefined,
    signal: AbortSignal,
    known: IntegrityReport | null = null,
  ): AsyncGenerator<JobProgress, Diagnosis> {
    // With a known report, only rules are asked whose findings it does not list completely.
    const asked = known ? rules.filter((rule) => needsAllFindings(rule) && hasMore(known, rule)) : rules
    const kept = asked.filter(needsAllFindings)
    const examined = yield* this.#options.integrity.examine(conversationId, signal, { asked, kept })
    const { readRows } = examined
    const report = known ?? examined.report
    const excepted = exceptedOf(report, examined.excepted)
    const undone = { report, readRows, findings: new Map(), excepted, steps: manualSteps(report) }
    // If a table of links is missing, summaries look as if they never had any. No step may rely on that.
    if (report.checks.some(({ id, count }) => id === tableLost.id && count > 0)) return undone
    try {
      const all = findingsOf(report, examined.findings)
      // What is read by a damaged index may be wrong. The next plan deals with what is found when it is sound.
      const damaged = all.get(indexDamaged.id) ?? []
      const isFirst = damaged.some(isOfRows)
      const findings = isFirst ? new Map([[indexDamaged.id, damaged]]) : all
      yield { done: report.checks.length, total: report.checks.length, unit: 'checks', note: 'planning' }
      const planned = await inSlices(planSteps({ ...this.#options, excepted }, findings, readRows(), null), signal)
      return {
        report,
        readRows,
        findings,
        excepted,
        steps: isFirst ? planned.steps : withLeftovers(report, findings, planned),
      }
    } catch (error) {
      if (!(error instanceof LcmError) || error.code !== 'file_corrupt') throw error
      return undone
    }
  }
}

/** True when a rule found more, or excepted more, than the samples of a report. */
const hasMore = ({ checks, byDesign = [] }: IntegrityReport, { id }: Rule): boolean =>
  [...checks, ...byDesign].some((check) => check.id === id && check.count > check.samples.length)

/** Returns the known exceptions of every rule: of a report, or all of them where it has samples only. */
const exceptedOf = ({ byDesign = [] }: IntegrityReport, all: Excepted): Excepted =>
  new Map(
    byDesign.map(({ id, samples }) => {
      const asked = all.get(id)
      return [id, asked?.size ? asked : new Set(samples.flatMap((sample) => sample.id ?? []))]
    }),
  )

/** Returns the findings of every rule, without expected states, which need no repair. */
function findingsOf({ checks }: IntegrityReport, all: Findings): Findings {
  const wanted = new Set(rules.filter(needsAllFindings).map(({ id }) => id))
  const fired = checks.filter(({ id, count, severity }) => count > 0 && severity !== 'info' && wanted.has(id))
  return new Map(
    fired.map(({ id, count, samples }) => [id, count <= samples.length ? samples : (all.get(id) ?? samples)]),
  )
}

/** True when a plan looks at single findings. For other rules the samples of a report are enough. */
const needsAllFindings = ({ fixes, settledAlong }: Rule): boolean =>
  fixes !== undefined || (settledAlong !== undefined && !settledAlong.isFileWide)

/** Returns why steps cannot be applied to this file and what to do instead, or null when they can. */
function onlyExport(info: MemoryInfo): string | null {
  if (!info.readOnly) return null
  if (isNative(info)) return `${info.readOnlyReason ?? 'The file is read-only.'} The plan can be exported.`
  return `This file belongs to ${info.systemLabel} and stays as it is. The plan can be exported, or applied to a working copy ("lcm copy"): backup first, one transaction, a second check before it is kept.`
}
