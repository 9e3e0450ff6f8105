import { grown } from './packed-numbers.ts'

/** What an entry names: a message or a summary. */
type NamedByEntry = { readonly messageId: number | null; readonly summaryId: string | null }

/** An entry as it is stored. */
export type StoredEntry = NamedByEntry & { readonly ordinal: number; readonly placedAtMs: number | null }

/** Entries that can be added to a copy before its columns have to grow. */
const ROOM = 64

/** The entries of all windows in columns: one window after the other, each in its order. */
export class WindowEntries {
  length = 0
  conversations = new Float64Array(0)
  ordinals = new Float64Array(0)
  /** When the entry was put into the window, or NaN where the file does not say. */
  placedAtMs = new Float64Array(0)
  isSummary = new Uint8Array(0)
  /** The position of the message or the node of the summary, or −1 when it does not exist. */
  targets = new Int32Array(0)
  /**
   * By index: the stored form of entries that the columns cannot hold, because they lead nowhere or name two things.
   */
  readonly stored = new Map<number, StoredEntry>()
  /** How often each message and each summary stands in a window, at most 255. */
  readonly messageCounts: Uint8Array
  readonly summaryCounts: Uint8Array

  /** @param capacity for how many entries there is room before the columns have to grow */
  constructor(messages: number, summaries: number, capacity = 0) {
    this.messageCounts = new Uint8Array(messages)
    this.summaryCounts = new Uint8Array(summaries)
    if (capacity > 0) this.#grow(capacity)
  }

  add(conversation: number, entry: StoredEntry, isSummary: boolean, target: number): void {
    const at = this.#put(conversation, entry.ordinal, entry.placedAtMs ?? Number.NaN, isSummary, target)
    if (target >= 0 && isPlain(entry, isSummary)) return
    const { ordinal, placedAtMs, messageId, summaryId } = entry
    this.stored.set(at, { ordinal, placedAtMs, messageId, summaryId })
  }

  /** Adds an entry that names a message and nothing else. The time is NaN where it is not known. */
  addMessage(
    conversation: number,
    ordinal: number,
    messageId: number,
    position: number,
    placedAtMs = Number.NaN,
  ): void {
    const at = this.#put(conversation, ordinal, placedAtMs, false, position)
    if (position >= 0) return
    const stored = Number.isNaN(placedAtMs) ? null : placedAtMs
    this.stored.set(at, { ordinal, placedAtMs: stored, messageId, summaryId: null })
  }

  #put(conversation: number, ordinal: number, placedAtMs: number, isSummary: boolean, target: number): number {
    const at = this.length
    if (at === this.ordinals.length) this.#grow(2 * at + 1024)
    this.conversations[at] = conversation
    this.ordinals[at] = ordinal
    this.placedAtMs[at] = placedAtMs
    this.isSummary[at] = isSummary ? 1 : 0
    this.targets[at] = target
    this.length += 1
    if (target < 0) return at
    const counts = isSummary ? this.summaryCounts : this.messageCounts
    if ((counts[target] as number) < 255) counts[target] = (counts[target] as number) + 1
    return at
  }

  /** Returns a copy to which entries can be added, for as many messages and summaries or more. */
  grown(messages: number, summaries: number): WindowEntries {
    const copy = new WindowEntries(messages, summaries, this.length + ROOM)
    copy.length = this.length
    for (const column of ['conversations', 'ordinals', 'placedAtMs', 'isSummary', 'targets'] as const)
      copy[column].set(this[column].subarray(0, this.length))
    copy.messageCounts.set(this.messageCounts)
    copy.summaryCounts.set(this.summaryCounts)
    for (const [index, entry] of this.stored) copy.stored.set(index, entry)
    return copy
  }

  /** Returns the position of the message that an entry names, or −1 when it names a summary or leads nowhere. */
  positionAt(index: number): number {
    return this.isSummary[index] === 0 ? (this.targets[index] as number) : -1
  }

  /** Returns the node of the summary that an entry names, or −1 when it names a message or leads nowhere. */
  nodeAt(index: number): number {
    return this.isSummary[index] === 1 ? (this.targets[index] as number) : -1
  }

  /** Returns the node id that an entry which leads nowhere names. */
  danglingId(index: number): string {
    const entry = this.stored.get(index)
    if (!entry) return 'nothing'
    const messageId = entry.messageId === null ? null : `msg_${entry.messageId}`
    return (this.isSummary[index] === 1 ? entry.summaryId : messageId) ?? 'nothing'
  }

  #grow(length: number): void {
    this.conversations = grown(this.conversations, length)
    this.ordinals = grown(this.ordinals, length)
    this.placedAtMs = grown(this.placedAtMs, length)
    this.isSummary = grown(this.isSummary, length)
    this.targets = grown(this.targets, length)
  }
}

/** Whether the columns hold the entry completely. */
const isPlain = ({ ordinal, placedAtMs, messageId, summaryId }: StoredEntry, isSummary: boolean): boolean =>
  typeof ordinal === 'number' &&
  (placedAtMs === null || typeof placedAtMs === 'number') &&
  (isSummary ? messageId === null : summaryId === null)
