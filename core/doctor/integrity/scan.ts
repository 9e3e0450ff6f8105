import { ConversationId, NodeId } from '../../contract/ids.ts'
import type { CheckPhase, Severity } from '../../contract/integrity.ts'
import { LcmError } from '../../errors.ts'
import type { Memory } from '../../memory/memory.ts'
import { readingMemory } from '../../systems/read-memory.ts'
import type { Check, CheckContext, Finding } from '../rules/rule.ts'
import { PHASES } from '../rules/rules.ts'
import { scanTexts } from './text-scan.ts'

/** Work between two pauses. */
const PAUSE_MS = 5

/** What a scan tells on its way; null: some work was done, others may have their turn. */
export type ScanStep =
  | { readonly kind: 'phase'; readonly phase: CheckPhase }
  | { readonly kind: 'check'; readonly check: Check }
  | {
      readonly kind: 'found'
      readonly check: Check
      readonly finding: Finding
      /** Why the system that a copy comes from wants it so; null: it is a finding. */
      readonly byDesign: string | null
    }
  | { readonly kind: 'done'; readonly check: Check; readonly notApplicable: string | null; readonly durationMs: number }
  | null

export const severityOf = (check: Check, { info }: CheckContext): Severity =>
  typeof check.severity === 'function' ? check.severity(info) : check.severity

/**
 * Runs checks on a file, phase by phase. Where pages of the file cannot be read, the checks that need them say so and
 * the others go on.
 */
export function* scan(context: CheckContext & { facts: Memory }, checks: readonly Check[]): Generator<ScanStep> {
  yield { kind: 'phase', phase: 'structure' }
  const broken = yield* loadFacts(context)
  for (const phase of PHASES) {
    if (phase !== 'structure') yield { kind: 'phase', phase }
    const ofPhase = checks.filter((check) => check.phase === phase)
    const isBlind = broken !== null && phase !== 'sqlite'
    const asked: Check[] = []
    for (const check of ofPhase) {
      const reason = isBlind ? unreadable(broken) : (check.notApplicable?.(context) ?? null)
      if (reason === null) asked.push(check)
      else yield { kind: 'done', check, notApplicable: reason, durationMs: 0 }
    }
    yield* runPhase(context, phase, asked, broken)
  }
}

/** Checks offer a pause after every row; passing each of them on would take longer than most rows do. */
class Pause {
  #at = performance.now()

  isDue(): boolean {
    const now = performance.now()
    if (now - this.#at < PAUSE_MS) return false
    this.#at = now
    return true
  }
}

/** The error that kept the rows from being read; null when they were. */
function* loadFacts(context: CheckContext & { facts: Memory }): Generator<null, LcmError | null> {
  try {
    const reading = readingMemory(context.db, context.dialect.recordsSourceTokens)
    for (let step = reading.next(); ; step = reading.next()) {
      if (step.done) {
        context.facts = step.value
        return null
      }
      yield null
    }
  } catch (error) {
    return damageOf(error)
  }
}

function* runPhase(
  context: CheckContext,
  phase: CheckPhase,
  checks: readonly Check[],
  broken: LcmError | null,
): Generator<ScanStep> {
  const pause = new Pause()
  const texts = yield* runTexts(
    context,
    checks.filter((check) => check.messageTexts || check.summaryTexts),
  )
  for (const check of checks) {
    const startedAt = performance.now()
    yield { kind: 'check', check }
    let damage = texts.damage
    try {
      for (const finding of check.find?.(context) ?? []) {
        if (finding !== null) yield found(context, check, finding)
        else if (pause.isDue()) yield null
      }
    } catch (error) {
      damage = damageOf(error)
    }
    const isPages = phase === 'sqlite'
    for (const error of isPages ? [damage, broken] : []) if (error) yield found(context, check, unread(error))
    const reads = check.messageTexts || check.summaryTexts
    const isBlind = damage !== null && !isPages && (check.find === undefined || damage !== texts.damage)
    yield {
      kind: 'done',
      check,
      notApplicable: isBlind ? unreadable(damage as LcmError) : null,
      durationMs: performance.now() - startedAt + (reads ? texts.durationMs : 0),
    }
  }
}

function* runTexts(
  context: CheckContext,
  checks: readonly Check[],
): Generator<ScanStep, { damage: LcmError | null; durationMs: number }> {
  const startedAt = performance.now()
  const pause = new Pause()
  let damage: LcmError | null = null
  try {
    for (const hit of checks.length === 0 ? [] : scanTexts(context, checks)) {
      if (hit !== null) yield found(context, hit.check, hit.finding)
      else if (pause.isDue()) yield null
    }
  } catch (error) {
    damage = damageOf(error)
  }
  return { damage, durationMs: performance.now() - startedAt }
}

/** Whatever is not the file's own state (a lock, a bug) stops the scan. */
function damageOf(error: unknown): LcmError {
  if (error instanceof LcmError && (error.code === 'file_corrupt' || error.code === 'sqlite_failed')) return error
  throw error
}

const unreadable = (error: LcmError): string => `Cannot be told: parts of the file cannot be read. ${error.message}`
const unread = (error: LcmError): Finding => ({ id: null, conversationId: null, detail: error.message })

/** A damaged file may call its rows what no answer can: the finding then says it in words. */
function addressed(finding: Finding): Finding {
  const isNode = finding.id === null || NodeId.safeParse(finding.id).success
  const isTold = finding.conversationId === null || ConversationId.safeParse(finding.conversationId).success
  if (isNode && isTold) return finding
  const named = [
    isNode ? '' : ` (of the id ${JSON.stringify(String(finding.id).slice(0, 40))})`,
    isTold ? '' : ` (of conversation ${finding.conversationId})`,
  ]
  return {
    ...finding,
    id: isNode ? finding.id : null,
    conversationId: isTold ? finding.conversationId : null,
    detail: finding.detail + named.join(''),
  }
}

const found = (context: CheckContext, check: Check, finding: Finding): ScanStep => ({
  kind: 'found',
  check,
  finding: addressed(finding),
  byDesign: context.inherited?.whyOf(context, check.id, finding) ?? null,
})
