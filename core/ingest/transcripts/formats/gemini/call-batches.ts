import { type JsonObject, textAt } from '#core/ingest/transcripts/json-value.ts'
import { callsOf } from './message.ts'

/** Calls of one answer in a record that has those of several. */
export type CallBatch = { readonly externalId: string; readonly callIds: ReadonlySet<string> }

type Batch = { readonly callIds: Set<string>; lastVersion: number }
type RecordedCalls = { readonly known: Set<string>; readonly batches: Batch[] }

/**
 * Over the Agent Client Protocol, Gemini CLI writes the calls of a whole session into one record, again and again with one
 * more. A call that comes after something else was said belongs to a later answer, and begins a message of its own.
 */
export class CallBatches {
  /** The calls of each record that has any. */
  readonly #records = new Map<string, RecordedCalls>()
  /** The record whose last batch may still get calls. */
  #open: string | null = null

  /** Notes the n-th record of an id, counted from 1. */
  add(id: string, record: JsonObject, version: number): void {
    const calls = this.#records.get(id) ?? { known: new Set(), batches: [] }
    const callIds = callsOf(record).flatMap((call) => textAt(call, 'id') ?? [])
    const fresh = callIds.filter((callId) => !calls.known.has(callId))
    const last = calls.batches.at(-1)
    if (fresh.length > 0 && (last === undefined || this.#open !== id)) {
      calls.batches.push({ callIds: new Set(fresh), lastVersion: version })
      this.#records.set(id, calls)
    } else if (last !== undefined) {
      for (const callId of fresh) last.callIds.add(callId)
      last.lastVersion = version
    }
    for (const callId of fresh) calls.known.add(callId)
    this.#open = id
  }

  /** Notes that something else was said. */
  close(): void {
    this.#open = null
  }

  /** Lists the batches of a record that has more than one. */
  of(id: string): readonly CallBatch[] {
    const batches = this.#records.get(id)?.batches ?? []
    if (batches.length < 2) return []
    return batches.map(({ callIds }, at) => ({ externalId: at === 0 ? id : `${id}/calls-${at + 1}`, callIds }))
  }

  /** Returns the batch that is complete with the n-th record of an id, or null. */
  endingWith(id: string, version: number): CallBatch | null {
    const at = this.#records.get(id)?.batches.findIndex(({ lastVersion }) => lastVersion === version) ?? -1
    return this.of(id)[at] ?? null
  }
}
