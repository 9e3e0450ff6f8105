import type { Clock } from '#core/clock.ts'
import type { Sample } from '#core/contract/integrity.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { RepairRisk, RowChange } from '#core/contract/repair.ts'
import type { WindowEntry } from '#core/memory/draft.ts'
import { type StateBefore, stateBefore } from '#core/memory/draft-coverage.ts'
import type { MemoryRows } from '#core/memory/memory.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { isNative } from '#core/systems/native/native.ts'
import { FileDraft } from '#core/systems/rules/file-draft.ts'
import type { Area, Fix, FixContext, StepDraft } from '#core/systems/rules/fix.ts'
import { crossConversationEdge } from '../rules/lineage.ts'
import { fixes, rulesOf } from '../rules/rules.ts'
import type { Excepted } from '../scan/scanner.ts'
import { areasOf, describeChanges, fingerprintOf } from './describe-changes.ts'

/** A step with everything that it would write. */
export type PlannedStep = {
  readonly id: string
  readonly fixes: readonly string[]
  readonly conversationId: number | null
  readonly nodes: readonly string[]
  readonly title: string
  readonly description: string
  readonly risk: RepairRisk
  readonly rows: number
  readonly changes: readonly RowChange[]
  readonly statements: readonly string[]
  /** See `StepDraft`. */
  readonly isForOriginal: boolean
  readonly rewrite: readonly string[]
  /** See `StepDraft`. */
  readonly setAside: readonly number[]
  readonly cannotRestore: string | null
  readonly dependsOn: readonly string[]
  readonly fingerprint: string
}

export type PlanTools = {
  readonly db: ReadDb
  readonly estimator: TokenEstimator
  readonly clock: Clock
  readonly filesDirs: readonly string[]
  readonly info: Pick<MemoryInfo, 'system'>
  readonly excepted: Excepted
}

/** All findings by the id of their rule, not only samples. */
export type Findings = ReadonlyMap<string, readonly Sample[]>

export type Planned = {
  readonly steps: readonly PlannedStep[]
  /** The draft after all steps. */
  readonly draft: FileDraft
  /** The windows that change, as they are in the file. */
  readonly windows: ReadonlyMap<number, readonly WindowEntry[]>
}

/**
 * Plans what to do about findings. Each fix in turn changes a draft of the file, and the rows that differ are its step.
 * Writes nothing, and yields now and then.
 * @param rows of the file in the state in which the findings were found
 * @param chosen the steps to plan, with all on which they depend; null for all
 */
export function* planSteps(
  tools: PlanTools,
  findings: Findings,
  rows: Generator<void, MemoryRows>,
  chosen: ReadonlySet<string> | null,
): Generator<void, Planned> {
  const draft = yield* FileDraft.read(tools.db, rows)
  const isCrossed = (findings.get(crossConversationEdge.id)?.length ?? 0) > 0
  const windows = new Map<number, readonly WindowEntry[]>()
  const steps: PlannedStep[] = []
  const written = new Map<string, ReadonlySet<Area>>()
  for (const fix of fixes) {
    for (const conversationId of conversationsOf(fix, findings)) {
      yield
      if (chosen !== null && !chosen.has(stepId(fix, conversationId))) continue
      const was = new Map(draft.conversationIds.map((id) => [id, draft.window(id)]))
      const context = contextOf(tools, draft, findings, fix, conversationId)
      for (const made of fix.apply(context)) {
        const changes = [...draft.take(), ...(made.changes ?? [])]
        for (const { table, key } of changes) {
          const id = Number(key.conversation_id)
          if (table === 'context_items' && !windows.has(id)) windows.set(id, was.get(id) ?? [])
        }
        const step = toStep(fix, made, conversationId, changes, context)
        const earlier = steps.filter(
          (other) =>
            isCrossed ||
            other.conversationId === null ||
            conversationId === null ||
            other.conversationId === conversationId,
        )
        const dependsOn = earlier
          .filter((other) => fix.reads.some((area) => written.get(other.id)?.has(area)))
          .map((other) => other.id)
        written.set(step.id, areasOf(changes))
        steps.push({ ...step, dependsOn })
      }
    }
  }
  return { steps, draft, windows }
}

/** Returns the conversations in which a fix has findings, or null for findings of the whole file. */
function conversationsOf(fix: Fix, findings: Findings): (number | null)[] {
  const named = rulesOf(fix).flatMap((rule) => findings.get(rule.id) ?? [])
  if (fix.isFileWide) return named.length > 0 ? [null] : []
  const ids = new Set(named.map((finding) => finding.conversationId))
  return [...ids].toSorted((a, b) => (a ?? -1) - (b ?? -1))
}

function contextOf(
  tools: PlanTools,
  draft: FileDraft,
  findings: Findings,
  fix: Fix,
  conversationId: number | null,
): FixContext {
  let before: StateBefore | undefined
  const findingsOf: FixContext['findingsOf'] = ({ id }) =>
    (findings.get(id) ?? []).filter((one) => fix.isFileWide || one.conversationId === conversationId)
  return {
    ...tools,
    isNative: isNative(tools.info),
    draft,
    conversationId,
    findings: rulesOf(fix).flatMap(findingsOf),
    findingsOf,
    isExcepted: (id) => rulesOf(fix).some((rule) => tools.excepted.get(rule.id)?.has(id) === true),
    get was() {
      before ??= stateBefore(draft)
      return before
    },
  }
}

const stepId = ({ name, part }: Fix, conversationId: number | null): string =>
  [name, conversationId, part].filter((piece) => piece !== null && piece !== undefined).join(':')

function toStep(
  fix: Fix,
  made: StepDraft,
  conversationId: number | null,
  changes: readonly RowChange[],
  { draft, findingsOf }: FixContext,
): PlannedStep {
  const {
    title,
    rule,
    risk,
    nodes,
    alsoSettles = [],
    statements = [],
    rewrite = [],
    setAside = [],
    isForOriginal = false,
  } = made
  const fired = rulesOf(fix).filter((one) => findingsOf(one).length > 0)
  const texts = rewrite.map((id) => [id, draft.textOf(id)])
  const missing = changes.find((change) => change.before?.missing !== undefined)?.before?.missing
  return {
    id: stepId(fix, conversationId),
    fixes: [...new Set([...fired, ...alsoSettles].map(({ id }) => id))],
    conversationId,
    nodes,
    title,
    description: [describeChanges(changes), rule].filter((sentence) => sentence !== '').join(' '),
    risk,
    rows: typeof missing === 'number' ? missing : Math.max(changes.length, rewrite.length),
    changes,
    statements,
    isForOriginal,
    rewrite,
    setAside,
    cannotRestore: made.cannotRestore ?? null,
    dependsOn: [],
    fingerprint: fingerprintOf(changes, statements, texts),
  }
}
