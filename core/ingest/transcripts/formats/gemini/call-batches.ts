import { type JsonObject, textAt } from '#core/ingest/transcripts/json-value.ts'
import { callsOf } from './message.ts'

/** Calls of one answer in a record that has those of several. */
export type CallBatch = { readonly externalId: string; readonly callIds: ReadonlySet<string> }

type Batch = { readonly callIds: Set<string>; lastVersion: number }

/**
 * Over the Agent Client Protocol, Gemini CLI writes the calls of a whole session into one record, again and again with one
 * more. A call that comes after something else was said belongs to a later answer, and begins a message of its own.
 */
export class CallBatches {
  readonly #batches = new Map<string, Batch[]>()
  /** The record whose last batch may still get calls. */
  #open: string | null = null

  /** Notes the n-th record of an id, counted from 1. */
  add(id: string, record: JsonObject, version: number): void {
    const batches = this.#batches.get(id) ?? []
    const callIds = callsOf(record).flatMap((call) => textAt(call, 'id') ?? [])
    const fresh = callIds.filter((callId) => !batches.some((batch) => batch.callIds.has(callId)))
    const last = batches.at(-1)
    if (last === undefined || (fresh.length > 0 && this.#open !== id)) {
      if (fresh.length > 0) batches.push({ callIds: new Set(fresh), lastVersion: version })
    } else {
      for (const callId of fresh) last.callIds.add(callId)
      last.lastVersion = version
    }
    if (batches.length > 0) this.#batches.set(id, batches)
    this.#open = id
  }

  /** Notes that something else was said. */
  close(): void {
    this.#open = null
  }

  /** Lists the batches of a record that has more than one. */
  of(id: string): readonly CallBatch[] {
    const batches = this.#batches.get(id) ?? []
    if (batches.length < 2) return []
    return batches.map(({ callIds }, at) => ({ externalId: at === 0 ? id : `${id}/calls-${at + 1}`, callIds }))
  }

  /** Returns the batch that is complete with the n-th record of an id, or null. */
  endingWith(id: string, version: number): CallBatch | null {
    const at = this.#batches.get(id)?.findIndex(({ lastVersion }) => lastVersion === version) ?? -1
    return this.of(id)[at] ?? null
  }
}
