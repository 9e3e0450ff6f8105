import { contentOf } from '#core/ingest/transcripts/content-blocks.ts'
import { DerivedIds } from '#core/ingest/transcripts/derived-ids.ts'
import { type JsonObject, textAt } from '#core/ingest/transcripts/json-value.ts'
import { typeName } from '#core/ingest/transcripts/read-lines.ts'
import { itemOf, type KnownItem } from './items.ts'

/** The external ids of the items of a session, and which of them a compaction kept. */
export class ItemIds {
  readonly #derived = new DerivedIds()
  /**
   * Ids of messages by their id without the number of repetitions, because a compaction names what it keeps by its
   * text.
   */
  readonly #said = new Map<string, string[]>()
  /** Ids of messages by the ids of their items, which a compaction repeats, perhaps without a picture. */
  readonly #named = new Map<string, string>()

  /** Whether nothing was said so far. */
  get areEmpty(): boolean {
    return this.#said.size === 0
  }

  /**
   * The id is the same in every file into which the item is copied, where it has another time and perhaps another id.
   */
  of(item: JsonObject, read: KnownItem): string {
    if (read.kind === 'call' && read.call.id !== null) return this.#derived.named(read.call.id)
    if (read.kind === 'result' && read.callId !== null) return this.#derived.named(`${read.callId}/output`)
    const id = this.#derived.next('item', ...saidBy(item, read))
    const named = textAt(item, 'id')
    if (named !== null) this.#named.set(named, id)
    const stem = DerivedIds.stem('item', ...saidBy(item, read))
    const all = this.#said.get(stem)
    if (all) all.push(id)
    else this.#said.set(stem, [id])
    return id
  }

  ofCompaction(payload: JsonObject): string {
    return this.#derived.next('compacted', JSON.stringify(payload))
  }

  /** Separates the items that are in the history already from those that the compaction added. */
  compare(items: readonly JsonObject[]): { kept: Set<string>; fresh: JsonObject[] } {
    const kept = new Set<string>()
    const fresh: JsonObject[] = []
    // The search begins at the end, because the newest of equal messages are kept.
    for (const item of items.toReversed()) {
      const read = itemOf(item)
      if (read.kind === 'unknown' || read.kind === 'silent') continue
      if (read.kind === 'call' && read.call.id !== null) kept.add(read.call.id)
      else if (read.kind === 'result' && read.callId !== null) kept.add(`${read.callId}/output`)
      else {
        const named = this.#named.get(textAt(item, 'id') ?? '')
        const id =
          named ??
          this.#said.get(DerivedIds.stem('item', ...saidBy(item, read)))?.findLast((candidate) => !kept.has(candidate))
        if (id === undefined) fresh.push(item)
        else kept.add(id)
      }
    }
    return { kept, fresh: fresh.toReversed() }
  }
}

const saidBy = (item: JsonObject, read: KnownItem): string[] => [
  typeName(item.type),
  read.kind === 'said' ? read.role : read.kind,
  read.kind === 'said' ? contentOf(read.blocks) : read.kind === 'thought' ? read.text : JSON.stringify(item),
]
