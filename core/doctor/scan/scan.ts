import { ConversationId, NodeId } from '#core/contract/ids.ts'
import type { CheckPhase, Severity } from '#core/contract/integrity.ts'
import { LcmError } from '#core/errors.ts'
import type { Memory } from '#core/memory/memory.ts'
import { readingMemory } from '#core/systems/reading/read-memory.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'
import { PHASES } from '../rules/rules.ts'
import { scanTexts } from './text-scan.ts'

/** How long a scan works before it offers to yield. */
const SLICE_MS = 5

/** One step of a scan. `null` means that some work was done and that other work may have its turn. */
export type ScanStep =
  | { readonly kind: 'phase'; readonly phase: CheckPhase }
  | { readonly kind: 'rule'; readonly rule: Rule }
  | {
      readonly kind: 'found'
      readonly rule: Rule
      readonly finding: Finding
      /** Why the finding is by design of the system from which a copy comes. Null for a fault. */
      readonly byDesign: string | null
    }
  | { readonly kind: 'done'; readonly rule: Rule; readonly notApplicable: string | null; readonly durationMs: number }
  | null

export const severityOf = (rule: Rule, { info }: RuleContext): Severity =>
  typeof rule.severity === 'function' ? rule.severity(info) : rule.severity

/**
 * Runs rules on a file, phase by phase. Where pages of the file cannot be read, the rules that need them report that,
 * and the others continue.
 */
export function* scan(context: RuleContext & { memory: Memory }, rules: readonly Rule[]): Generator<ScanStep> {
  yield { kind: 'phase', phase: 'structure' }
  const broken = yield* loadMemory(context)
  for (const phase of PHASES) {
    if (phase !== 'structure') yield { kind: 'phase', phase }
    const ofPhase = rules.filter((rule) => rule.phase === phase)
    const isBlind = broken !== null && phase !== 'sqlite'
    const asked: Rule[] = []
    for (const rule of ofPhase) {
      const reason = isBlind ? unreadable(broken) : (rule.notApplicable?.(context) ?? null)
      if (reason === null) asked.push(rule)
      else yield { kind: 'done', rule, notApplicable: reason, durationMs: 0 }
    }
    yield* runPhase(context, phase, asked, broken)
  }
}

/** Rules offer to yield after every row. Passing each offer on would take longer than most rows do. */
class Slice {
  #at = performance.now()

  isOver(): boolean {
    const now = performance.now()
    if (now - this.#at < SLICE_MS) return false
    this.#at = now
    return true
  }
}

function* readingDerived({ db, system }: RuleContext): Generator<void, Memory> {
  const memory = yield* readingMemory(db, system.facts.storedNumbers)
  yield* memory.deriving()
  return memory
}

/** Reads the memory into the context. Returns the error that kept the rows from being read, or null. */
function* loadMemory(context: RuleContext & { memory: Memory }): Generator<null, LcmError | null> {
  try {
    const reading = readingDerived(context)
    for (let step = reading.next(); ; step = reading.next()) {
      if (step.done) {
        context.memory = step.value
        return null
      }
      yield null
    }
  } catch (error) {
    return damageOf(error)
  }
}

function* runPhase(
  context: RuleContext,
  phase: CheckPhase,
  rules: readonly Rule[],
  broken: LcmError | null,
): Generator<ScanStep> {
  const slice = new Slice()
  const texts = yield* runTexts(
    context,
    rules.filter((rule) => rule.messageTexts || rule.summaryTexts),
  )
  for (const rule of rules) {
    const startedAt = performance.now()
    yield { kind: 'rule', rule }
    let damage = texts.damage
    try {
      for (const finding of rule.find?.(context) ?? []) {
        if (finding !== null) yield found(context, rule, finding)
        else if (slice.isOver()) yield null
      }
    } catch (error) {
      damage = damageOf(error)
    }
    const tellsDamage = phase === 'sqlite' && rule.leavesUnreadFile !== true
    for (const error of tellsDamage ? [damage, broken] : []) if (error) yield found(context, rule, unread(error))
    const reads = rule.messageTexts || rule.summaryTexts
    const isBlind = damage !== null && !tellsDamage && (rule.find === undefined || damage !== texts.damage)
    yield {
      kind: 'done',
      rule,
      notApplicable: isBlind ? unreadable(damage as LcmError) : null,
      durationMs: performance.now() - startedAt + (reads ? texts.durationMs : 0),
    }
  }
}

function* runTexts(
  context: RuleContext,
  rules: readonly Rule[],
): Generator<ScanStep, { damage: LcmError | null; durationMs: number }> {
  const startedAt = performance.now()
  const slice = new Slice()
  let damage: LcmError | null = null
  try {
    for (const hit of rules.length === 0 ? [] : scanTexts(context, rules)) {
      if (hit !== null) yield found(context, hit.rule, hit.finding)
      else if (slice.isOver()) yield null
    }
  } catch (error) {
    damage = damageOf(error)
  }
  return { damage, durationMs: performance.now() - startedAt }
}

/** Returns damage of the file. Any other error, such as a lock or a bug, stops the scan. */
function damageOf(error: unknown): LcmError {
  if (error instanceof LcmError && (error.code === 'file_corrupt' || error.code === 'sqlite_failed')) return error
  throw error
}

const unreadable = (error: LcmError): string => `Cannot be told: parts of the file cannot be read. ${error.message}`
const unread = (error: LcmError): Finding => ({ id: null, conversationId: null, detail: error.message })

/** A damaged file may have ids that no answer can hold. The finding then names them in its text. */
function addressed(finding: Finding): Finding {
  const isNode = finding.id === null || NodeId.safeParse(finding.id).success
  const isIdShown = finding.conversationId === null || ConversationId.safeParse(finding.conversationId).success
  if (isNode && isIdShown) return finding
  const named = [
    isNode ? '' : ` (of the id ${JSON.stringify(String(finding.id).slice(0, 40))})`,
    isIdShown
      ? ''
      : Number.isSafeInteger(finding.conversationId)
        ? ` (of conversation ${finding.conversationId})`
        : ' (of a conversation whose number is too large to be shown)',
  ]
  return {
    ...finding,
    id: isNode ? finding.id : null,
    conversationId: isIdShown ? finding.conversationId : null,
    detail: finding.detail + named.join(''),
  }
}

const found = (context: RuleContext, rule: Rule, finding: Finding): ScanStep => ({
  kind: 'found',
  rule,
  finding: addressed(finding),
  byDesign: context.baseline?.whyByDesign(context, rule, finding) ?? null,
})
