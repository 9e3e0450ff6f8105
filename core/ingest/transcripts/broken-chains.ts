import type { BrokenChainRecord } from './format.ts'
import type { ChainBreak } from './record-graph.ts'

/**
 * Finds the first message after each break of a chain, while a reader takes the records for the second time. What stands
 * before it is not loaded when the session is resumed.
 */
export class BrokenChains {
  readonly #breaks: ReadonlyMap<string, ChainBreak>
  /** Breaks whose first message was not met yet, by session. */
  readonly #open = new Map<string, ChainBreak[]>()
  readonly #found = new Map<string, BrokenChainRecord['breaks'][number][]>()

  constructor(breaks: readonly ChainBreak[]) {
    this.#breaks = new Map(breaks.map((one) => [one.id, one]))
  }

  /** Has to be called for every record, before its messages. */
  reached(id: string | null, sessionId: string): void {
    const found = this.#breaks.size === 0 || id === null ? undefined : this.#breaks.get(id)
    if (found) this.#open.set(sessionId, [...(this.#open.get(sessionId) ?? []), found])
  }

  /** Has to be called for every message. */
  said(sessionId: string, externalId: string | null): void {
    const open = externalId === null ? undefined : this.#open.get(sessionId)
    if (!open || externalId === null) return
    this.#open.delete(sessionId)
    const found = open.map(({ id, ...one }) => ({ ...one, from: externalId }))
    this.#found.set(sessionId, [...(this.#found.get(sessionId) ?? []), ...found])
  }

  /** Returns the breaks of a session after its last record, also when there are none. */
  recordOf(sessionId: string): BrokenChainRecord {
    return { kind: 'broken_chain', sessionId, breaks: this.#found.get(sessionId) ?? [] }
  }
}
