import type { JsonObject } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'

/** A record of the second reading, with its id in this file or null. */
export type ReadRecord = {
  readonly record: JsonObject
  readonly name: string | null
  readonly line: number
  readonly details: MessageDetails
}

/** At most this many records wait for their parents. Others stay where they were written. */
const MOST_WAITING = 1000

/** Records that were written before their parents wait for them. */
export class EarlyRecords {
  readonly #waiting = new Map<string, ReadRecord[]>()
  #count = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** Returns false when too many wait. */
  add(parent: string, early: ReadRecord): boolean {
    if (this.#count >= MOST_WAITING) return false
    const waiting = this.#waiting.get(parent) ?? []
    waiting.push(early)
    this.#waiting.set(parent, waiting)
    this.#count += 1
    return true
  }

  /** Takes the records that waited for their parent of this name, in the order of the file. */
  takeChildrenOf(name: string | null): readonly ReadRecord[] {
    const waiting = name === null ? undefined : this.#waiting.get(name)
    if (!waiting || name === null) return []
    this.#waiting.delete(name)
    this.#count -= waiting.length
    return waiting
  }

  /** The records whose parents never came. */
  get rest(): readonly ReadRecord[] {
    return [...this.#waiting.values()].flat()
  }
}
