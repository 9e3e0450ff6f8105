import type { JobProgress } from '#core/contract/job.ts'
import type { RepairInput, RepairResult } from '#core/contract/repair.ts'
import type { RewrittenNode } from '#core/contract/surgery.ts'
import { LcmError } from '#core/errors.ts'
import { stateBefore } from '#core/memory/draft-coverage.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { readingMemory } from '#core/systems/reading/read-memory.ts'
import type { SurgeryRecord } from '#core/systems/records/surgery-log.ts'
import { inSlices, withoutYielding } from '#core/yielding.ts'
import { type Batch, type Counts, commitVerified, leftOut, planStale } from '../apply/commit.ts'
import { canonicalExtent } from '../apply/row-digest.ts'
import { SET_ASIDE } from '../apply/set-aside.ts'
import { verifiedBackup } from '../apply/verified-backup.ts'
import { indexDamaged } from '../rules/damaged-indexes.ts'
import { rules } from '../rules/rules.ts'
import { madeFrom, rewriteTexts, setText } from '../surgery/rewrite.ts'
import { fingerprintOf } from './describe-changes.ts'
import { dissolveNode, whyNotDissolved } from './dissolve-node.ts'
import { bringInLine } from './numbers.ts'
import { type Findings, type Planned, type PlannedStep, planSteps } from './plan-steps.ts'
import type { Diagnose, Diagnosis, RepairAllInput, RepairerOptions } from './repairer-options.ts'
import { toShownStep } from './shown-plan.ts'

type Skipped = RepairResult['skipped'][number]

/** Chosen steps, ready to be written. */
type Ready = { readonly planned: Planned; readonly batches: readonly Batch[]; readonly statements: readonly string[] }

/** The result of steps that need a summariser: new texts, and nodes for which no text was small enough. */
type Written = { readonly texts: readonly RewrittenNode[]; readonly dissolved: readonly string[] }

/** One application of chosen steps. */
export class ApplyRepairs {
  readonly #options: RepairerOptions & { readonly db: WriteDb }
  readonly #diagnose: Diagnose

  constructor(options: RepairerOptions & { readonly db: WriteDb }, diagnose: Diagnose) {
    this.#options = options
    this.#diagnose = diagnose
  }

  /** @see Repairer.apply */
  async *run(input: RepairInput, signal: AbortSignal): AsyncGenerator<JobProgress, RepairResult> {
    const dataVersion = this.#options.db.dataVersion()
    return yield* this.#apply(input, yield* this.#diagnose(undefined, signal), dataVersion, signal)
  }

  /** @see Repairer.applyAll */
  async *runAll(
    { conversationId, ...rest }: RepairAllInput,
    signal: AbortSignal,
  ): AsyncGenerator<JobProgress, RepairResult | Diagnosis> {
    const dataVersion = this.#options.db.dataVersion()
    const diagnosis = yield* this.#diagnose(undefined, signal)
    const isIn = (of: number | null): boolean => conversationId === undefined || of === null || of === conversationId
    const steps = diagnosis.steps.filter(
      (step) =>
        step.risk !== 'manual' &&
        isIn(step.conversationId) &&
        (step.conversationId !== null ||
          step.fixes.some((check) => diagnosis.findings.get(check)?.some((one) => isIn(one.conversationId)))),
    )
    if (steps.length === 0) return diagnosis
    const input: RepairInput = { ...rest, steps: steps.map(({ id }) => ({ id })) }
    return yield* this.#apply(input, diagnosis, dataVersion, signal)
  }

  async *#apply(
    input: RepairInput,
    diagnosis: Diagnosis,
    dataVersion: number,
    signal: AbortSignal,
  ): AsyncGenerator<JobProgress, RepairResult> {
    const { db, info, clock, integrity, owner } = this.#options
    const began = performance.now()
    const chosen = this.#choose(diagnosis, input)
    const { findings, excepted } = diagnosis
    const planned = await inSlices(
      planSteps({ ...this.#options, excepted }, findings, diagnosis.readRows(), chosen),
      signal,
    )
    this.#refuseOther(planned.steps, diagnosis.steps, chosen)
    const { skipped, ...written } = yield* this.#summarise(planned, input, signal)
    const ready = this.#ready(planned, written)
    const extent = canonicalExtent(db)
    const stored = yield* verifiedBackup({ path: info.path, folder: input.backupFolder, nowMs: clock() }, signal)
    // From here on the file is changed, so this is the last check for cancellation.
    if (signal.aborted) throw new LcmError('cancelled', 'Cancelled before anything was changed; the backup was kept.')
    yield { done: 0, total: 1, unit: 'steps', note: 'writing, then scanning again' }
    const again = (): void => this.#planAgain(diagnosis, chosen, written, ready)
    const { worse, before, after } = commitVerified(
      { db, integrity, clock, owner },
      {
        batches: ready.batches,
        statements: ready.statements,
        conversationIds: planned.steps.flatMap((step) => step.conversationId ?? []),
        records: records(planned, written, stored.backup.path),
      },
      {
        dataVersion,
        counts: new Map(diagnosis.report.checks.map((check) => [check.id, check.count])),
        canonical: { extent, hash: stored.canonicalHash },
        without: leftOut(this.#options.info.bytes),
        // With a sound index more may be found of what was wrong before. No row has changed.
        isAccepted: (id, after) =>
          (onlyRebuilds(planned.steps) && id !== indexDamaged.id && id !== 'sqlite_integrity') ||
          diagnosis.report.checks.find((check) => check.id === id)?.severity === 'info' ||
          (givesWayToErrors(id) && hasFewerErrors(diagnosis.report, after)),
      },
      again,
    )
    const asked = new Set(input.steps.map((step) => step.id))
    const failed = new Set(skipped.map((step) => step.id))
    const left = yield* this.#diagnose(undefined, signal)
    return {
      applied:
        worse === null
          ? planned.steps
              .filter((step) => !failed.has(step.id))
              .map(({ id, rows }) => ({ id, rows, chosen: asked.has(id) }))
          : [],
      skipped: [...skipped],
      backup: stored.backup,
      rolledBack: worse === null ? null : [...worse],
      before: asRecord(before),
      after: asRecord(after),
      left: left.steps.map(toShownStep),
      canonicalHash: stored.canonicalHash,
      durationMs: performance.now() - began,
    }
  }

  /** Returns the chosen ids and all on which they depend. */
  #choose({ steps }: Diagnosis, input: RepairInput): Set<string> {
    const byId = new Map(steps.map((step) => [step.id, step]))
    const chosen = new Set<string>()
    const open: string[] = []
    for (const { id, fingerprint } of input.steps) {
      const step = byId.get(id)
      if (!step) throw planStale(this.#options.db.path, id, 'there is no such step any more')
      if (fingerprint !== undefined && fingerprint !== step.fingerprint) {
        throw planStale(this.#options.db.path, id, 'it would change other rows now')
      }
      if (step.risk === 'manual') {
        throw new LcmError('invalid_argument', `Step ${id} is to be done by hand: ${step.description}`, { step: id })
      }
      open.push(id)
    }
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (chosen.has(id)) continue
      chosen.add(id)
      open.push(...(byId.get(id)?.dependsOn ?? []))
    }
    return chosen
  }

  /**
   * Without the steps that were not chosen, a step must have the same result. Otherwise it depends on one that it does
   * not name.
   */
  #refuseOther(now: readonly PlannedStep[], shown: readonly PlannedStep[], chosen: ReadonlySet<string>): void {
    for (const id of chosen) {
      const [step, was] = [now.find((one) => one.id === id), shown.find((one) => one.id === id)]
      if (step?.fingerprint !== was?.fingerprint)
        throw planStale(this.#options.db.path, id, 'it would change other rows now')
    }
  }

  /** Writes texts for steps that need a summariser, from the state after the other steps. */
  async *#summarise(
    planned: Planned,
    input: RepairInput,
    signal: AbortSignal,
  ): AsyncGenerator<JobProgress, Written & { readonly skipped: readonly Skipped[] }> {
    const { draft, steps } = planned
    const wanted = new Set(steps.flatMap((step) => step.rewrite))
    if (wanted.size === 0) return { texts: [], dissolved: [], skipped: [] }
    const { estimator, settings, summarizers } = this.#options
    const tools = { estimator, settings, targetTokens: null, chain: summarizers.chainFor(input.summarizer) }
    const { nodes, kept } = yield* rewriteTexts(draft, wanted, tools, signal)
    const dissolved = kept.flatMap(({ id }) => (whyNotDissolved(draft, id) === null ? [id] : []))
    const reasons = new Map(kept.filter(({ id }) => !dissolved.includes(id)).map(({ id, reason }) => [id, reason]))
    const skipped = steps.flatMap((step): Skipped[] => {
      const [id] = step.rewrite.filter((one) => reasons.has(one))
      return id === undefined ? [] : [{ id: step.id, reason: `${id}: ${reasons.get(id)}` }]
    })
    return { texts: nodes, dissolved, skipped }
  }

  /** The draft of `planned` may hold the texts already. Then nothing changes here. */
  #ready(planned: Planned, { texts, dissolved }: Written): Ready {
    const { draft, steps } = planned
    for (const text of texts) setText(draft, text)
    bringInLine(draft, new Set(texts.map(({ id }) => id)))
    for (const id of dissolved) if (draft.summaries.has(id)) dissolveNode(draft, id, stateBefore(draft))
    const rewriting = steps.find((step) => step.rewrite.length > 0)?.id ?? null
    return {
      planned,
      batches: [...steps.map(({ id, changes }) => ({ step: id, changes })), { step: rewriting, changes: draft.take() }],
      statements: steps.flatMap((step) => step.statements),
    }
  }

  /** Another process has written meanwhile. The steps are applied only if they would still write exactly the same. */
  #planAgain(diagnosis: Diagnosis, chosen: ReadonlySet<string>, written: Written, ready: Ready): void {
    const { db, integrity } = this.#options
    const findings: Findings = integrity.findNow([...diagnosis.findings.keys()], null)
    const { excepted } = diagnosis
    const planned = withoutYielding(planSteps({ ...this.#options, excepted }, findings, readingMemory(db), chosen))
    this.#refuseOther(planned.steps, ready.planned.steps, chosen)
    for (const { id, madeFrom: was } of written.texts) {
      if (madeFrom(planned.draft, id) !== was)
        throw planStale(db.path, ready.batches.at(-1)?.step ?? null, `${id} was made from other sources`)
    }
    const now = this.#ready(planned, written)
    if (fingerprintOf(now.batches) === fingerprintOf(ready.batches)) return
    throw planStale(db.path, null, 'other rows would change now')
  }
}

const onlyRebuilds = (steps: readonly PlannedStep[]): boolean => steps.every(({ id }) => id === indexDamaged.id)

const givesWayToErrors = (id: string): boolean => rules.some((rule) => rule.id === id && rule.givesWayToErrors === true)

const hasFewerErrors = ({ checks }: Diagnosis['report'], after: Counts): boolean =>
  checks.some(({ id, severity, count }) => severity === 'error' && (after.get(id) ?? 0) < count)

const asRecord = (counts: Counts): Record<string, number> =>
  Object.fromEntries([...counts].filter(([, count]) => count > 0))

/** Returns one entry per conversation for the record of changes by hand. */
function records({ steps, windows, draft }: Planned, { texts }: Written, backup: string): SurgeryRecord[] {
  const byConversation = Map.groupBy(
    steps.filter((step) => step.conversationId !== null),
    (step) => step.conversationId as number,
  )
  return [...byConversation].map(([conversationId, own]): SurgeryRecord => {
    const before = windows.get(conversationId)
    const setAside = own.flatMap((step) => step.setAside.flatMap((id) => draft.messages.seqOf(id) ?? []))
    const replaced = texts.filter(({ id }) => draft.summaries.get(id)?.conversationId === conversationId)
    return {
      conversationId,
      kind: 'repair',
      nodeId: null,
      summary: `Repaired: ${own.map((step) => step.title).join('; ')}.`,
      ...(before ? { window: { before, after: draft.window(conversationId) } } : {}),
      detail: {
        steps: own.map(({ id, rows }) => ({ id, rows })),
        backup,
        ...(setAside.length > 0 ? { [SET_ASIDE]: setAside } : {}),
        rewritten: replaced.map(({ id, before: was }) => ({ id, text: was.text, tokens: was.tokens })),
      },
    }
  })
}
