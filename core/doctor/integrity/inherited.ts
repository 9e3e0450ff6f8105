import { createHash } from 'node:crypto'
import { z } from 'zod'
import { SystemId } from '../../contract/memory.ts'
import type { KnownException } from '../../systems/known-exceptions.ts'
import { systemOf } from '../../systems/systems.ts'
import type { Finding, RuleContext } from '../rules/rule.ts'

/** What a working copy notes of the ways of its system when it is made. */
export const Seal = z.object({
  /** That the memory was first written by, also in the copy of a copy. */
  system: SystemId,
  systemLabel: z.string().max(100),
  /** The newest row of the summaries that came along. */
  lastSummary: z.int(),
  /** Findings that were there from the start, by 12 characters of their hash each. */
  keys: z.string(),
})
export type Seal = z.infer<typeof Seal>

const KEY_BYTES = 9
const KEY_CHARS = 12

const queries = {
  newer: /* sql */ `
    SELECT summary_id FROM summaries
    WHERE summary_id IN (SELECT value FROM json_each(:ids)) AND summary_rowid > CAST(:last AS INTEGER)`,
}

/** Names findings by what they rest on, whatever the words are: the same name, the same finding. */
export class FindingKeys {
  readonly #seen = new Map<string, number>()

  /** Of findings that nothing tells apart, the second has another name than the first. */
  next(check: string, finding: Finding): string {
    const key = keyOf(check, finding, 0)
    const before = this.#seen.get(key) ?? 0
    this.#seen.set(key, before + 1)
    return before === 0 ? key : keyOf(check, finding, before)
  }
}

function keyOf(check: string, { id, conversationId, mark }: Finding, repeated: number): string {
  const named = [check, conversationId, id, mark ?? null, repeated]
  return createHash('sha256').update(JSON.stringify(named)).digest().subarray(0, KEY_BYTES).toString('base64url')
}

/**
 * Tells, in a working copy, what is by design of the system that it comes from: what is of a family that this system is
 * known for, and was there when the copy was made. Whatever came about later is a fault. For one scan.
 */
export class Inherited {
  readonly #seal: Seal
  readonly #ways: readonly KnownException[]
  readonly #known: ReadonlySet<string>
  readonly #keys = new FindingKeys()

  constructor(seal: Seal) {
    this.#seal = seal
    this.#ways = systemOf(seal.system).knownExceptions
    this.#known = new Set(
      Array.from({ length: seal.keys.length / KEY_CHARS }, (_, at) =>
        seal.keys.slice(at * KEY_CHARS, (at + 1) * KEY_CHARS),
      ),
    )
  }

  get origin(): Pick<Seal, 'system' | 'systemLabel'> {
    return this.#seal
  }

  /** Why it is by design; null: it is a fault. */
  whyOf(context: RuleContext, check: string, finding: Finding): string | null {
    const way = this.#ways.find((one) => one.check === check)
    if (!way || way.isSo?.(context, finding) === false) return null
    const isKnown = this.#known.has(this.#keys.next(check, finding)) || this.#isUnderFree(context, check, finding)
    return isKnown ? way.why(this.#seal.systemLabel) : null
  }

  /** Whether a summary stood in no window, and under no other, when the copy was made, by design of its system. */
  isFree(id: string, conversationId: number): boolean {
    return this.#known.has(keyOf('orphan_summary', { id, conversationId, detail: '' }, 0))
  }

  /** Summaries that stand in no window by design are no second telling beside one that was made here since. */
  #isUnderFree({ db, facts }: RuleContext, check: string, finding: Finding): boolean {
    if (check !== 'double_coverage' || !finding.mark) return false
    const leaves = finding.mark.split(' ')
    const { lastSummary } = this.#seal
    const newer = new Set(db.column<string>(queries.newer, { ids: JSON.stringify(leaves), last: lastSummary }))
    const older = leaves.filter((id) => !newer.has(id))
    const conversationOf = (id: string): number =>
      facts.summaries.rows[facts.summaries.nodeOf(id)]?.conversationId ?? Number.NaN
    if (newer.size !== 1 || !older.every((id) => this.isFree(id, conversationOf(id)))) return false
    return older.length === 1 || this.#known.has(keyOf(check, { ...finding, mark: older.join(' ') }, 0))
  }
}
