import { z } from 'zod'
import { SystemId } from '#core/contract/memory.ts'
import { sha256Bytes } from '#core/hashing.ts'
import { summariesAfterRow } from '#core/systems/records/summaries.ts'
import type { KnownException } from '#core/systems/rules/known-exceptions.ts'
import type { Baseline, RuleContext } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'
import { systemOf } from '#core/systems/systems.ts'
import type { RuleId } from '../rules/rules.ts'

/** What a working copy stores of its baseline when it is made. */
export const StoredBaseline = z.object({
  /** The system that first wrote the memory, also in the copy of a copy. */
  system: SystemId,
  systemLabel: z.string().max(100),
  /** The newest row of the summaries that were copied. */
  lastSummary: z.int(),
  /** Findings that were there from the start, by 12 characters of their hash each. */
  keys: z.string(),
})
export type StoredBaseline = z.infer<typeof StoredBaseline>

const KEY_BYTES = 9
const KEY_CHARS = 12

/** Names findings by their ids and figures, not by their words. Equal names mean the same finding. */
export class FindingKeys {
  readonly #seen = new Map<string, number>()

  /** Counts findings that are otherwise equal, so that each one has another name. */
  next(rule: RuleReference, finding: Finding): string {
    const key = keyOf(rule, finding, 0)
    const before = this.#seen.get(key) ?? 0
    this.#seen.set(key, before + 1)
    return before === 0 ? key : keyOf(rule, finding, before)
  }
}

type RuleReference = { readonly id: string }

const DETACHED: { readonly id: RuleId } = { id: 'orphan_summary' }
const COVERED_TWICE: RuleId = 'double_coverage'

function keyOf(rule: RuleReference, { id, conversationId, mark }: Finding, repeated: number): string {
  const named = [rule.id, conversationId, id, mark ?? null, repeated]
  return sha256Bytes(JSON.stringify(named)).subarray(0, KEY_BYTES).toString('base64url')
}

/**
 * The findings that a working copy inherited: each belongs to a known exception of the system that it comes from, and was
 * there when the copy was made. Findings that came about later are faults. Use a new object for every scan.
 */
export class InheritedFindings implements Baseline {
  readonly #stored: StoredBaseline
  readonly #exceptions: readonly KnownException[]
  readonly #known: ReadonlySet<string>
  readonly #keys = new FindingKeys()

  constructor(stored: StoredBaseline) {
    this.#stored = stored
    this.#exceptions = systemOf(stored.system).knownExceptions
    this.#known = new Set(
      Array.from({ length: stored.keys.length / KEY_CHARS }, (_, at) =>
        stored.keys.slice(at * KEY_CHARS, (at + 1) * KEY_CHARS),
      ),
    )
  }

  get origin(): Pick<StoredBaseline, 'system' | 'systemLabel'> {
    return this.#stored
  }

  whyByDesign(context: RuleContext, rule: RuleReference, finding: Finding): string | null {
    const exception = this.#exceptions.find((one) => one.rule === rule.id)
    if (!exception || exception.matches?.(context, finding) === false) return null
    const isKnown = this.#known.has(this.#keys.next(rule, finding)) || this.#isUnderFree(context, rule, finding)
    return isKnown ? exception.why(this.#stored.systemLabel) : null
  }

  /** Tells whether a summary was in no window and had no dependent when the copy was made, by design of its system. */
  isFree(id: string, conversationId: number): boolean {
    return this.#known.has(keyOf(DETACHED, { id, conversationId, detail: '' }, 0))
  }

  /**
   * A detached summary of the original system does not count as double coverage when a newer summary made here covers the
   * same messages.
   */
  #isUnderFree({ db, memory }: RuleContext, rule: RuleReference, finding: Finding): boolean {
    if (rule.id !== COVERED_TWICE || !finding.mark) return false
    const leaves = finding.mark.split(' ')
    const { lastSummary } = this.#stored
    const newer = summariesAfterRow(db, leaves, lastSummary)
    const older = leaves.filter((id) => !newer.has(id))
    const conversationOf = (id: string): number =>
      memory.summaries.rows[memory.summaries.nodeOf(id)]?.conversationId ?? Number.NaN
    if (newer.size !== 1 || !older.every((id) => this.isFree(id, conversationOf(id)))) return false
    return older.length === 1 || this.#known.has(keyOf(rule, { ...finding, mark: older.join(' ') }, 0))
  }
}
