import { ROLES, type Role } from '../contract/ids.ts'
import type { Pruned } from '../contract/message.ts'
import type { Memory } from '../memory/memory.ts'
import { OTHER_ROLE } from '../memory/messages.ts'
import type { WindowEntries } from '../memory/window-entries.ts'
import { messageNodeId } from '../systems/reading/node-id.ts'
import type { Pairing } from './tool-pairs.ts'

/** One entry of the window, without its text. */
export type WindowItem = {
  /** The stored number that orders the window. There may be gaps. */
  readonly ordinal: number
  /** `msg_<n>` or the id of the summary; `item_<ordinal>` when the entry names nothing. */
  readonly id: string
  readonly kind: 'message' | 'leaf' | 'condensed' | 'missing'
  readonly messageId: number | null
  readonly summaryId: string | null
  readonly role: Role | null
  /** The depth of a summary. */
  readonly depth: number | null
  readonly seq: number | null
  /** The tokens that the model sees of it. */
  readonly tokens: number
  /** What the agent pruned. `tokens` does not include it. */
  readonly pruned?: Pruned
  readonly createdAtMs: number | null
}

/** Kinds of entries in columns. */
export const MESSAGE = 0
export const SUMMARY = 1
export const MISSING = 2
/** A message that the agent does not send: on a branch that was given up, or left out by the agent. */
export const UNSENT = 3

/** The columns that decide about a window, with a value for every entry. */
export type WindowColumns = {
  readonly length: number
  /** MESSAGE, SUMMARY, MISSING or UNSENT. */
  readonly kinds: Uint8Array
  /** Indexes of ROLES, or OTHER_ROLE for an entry without a role. */
  readonly roles: Uint8Array
  /** The tokens that the model sees of an entry. */
  readonly tokens: Float64Array
  /** The tokens including what the agent pruned, because a summary is made of the whole. */
  readonly wholeTokens: Float64Array
}

/**
 * Returns the columns of a window that is a list of items.
 * @param unsent indexes of messages that the agent does not send
 */
export function columnsOf(
  items: readonly Pick<WindowItem, 'kind' | 'role' | 'tokens' | 'pruned'>[],
  unsent: ReadonlySet<number> = new Set(),
): WindowColumns {
  const columns = newColumns(items.length)
  items.forEach(({ kind, role, tokens, pruned }, index) => {
    columns.kinds[index] = unsent.has(index)
      ? UNSENT
      : kind === 'message'
        ? MESSAGE
        : kind === 'missing'
          ? MISSING
          : SUMMARY
    columns.roles[index] = role === null ? OTHER_ROLE : ROLES.indexOf(role)
    columns.tokens[index] = tokens
    columns.wholeTokens[index] = tokens + (pruned?.tokens ?? 0)
  })
  return columns
}

export const newColumns = (length: number): WindowColumns => ({
  length,
  kinds: new Uint8Array(length),
  roles: new Uint8Array(length),
  tokens: new Float64Array(length),
  wholeTokens: new Float64Array(length),
})

/** A summary of a window. Null where the file gives no value. */
export type ShownSummary = {
  readonly id: string
  readonly kind: 'leaf' | 'condensed'
  readonly depth: number
  readonly tokens: number
  /** The time of the newest message that it covers. */
  readonly saidAtMs: number | null
}

export type WindowParts = {
  readonly memory: Memory
  readonly entries: WindowEntries
  /**
   * Entries that the memory does not hold, because they name something in another conversation or nothing. By index.
   */
  readonly others: ReadonlyMap<number, WindowItem>
  /** By node. */
  readonly saidAtMs: ReadonlyMap<number, number>
  readonly columns: WindowColumns
  readonly pairs: Pairing
  /** By index of the entry. */
  readonly pruned: ReadonlyMap<number, Pruned>
  readonly prunedTexts: Window['prunedTexts']
  readonly isLeafPassOpen: boolean
}

/**
 * A text in the place of that of a part, or of a part that is not sent at all the rest of the message's content. It is
 * null for a part that was not in the content.
 */
export type SeenInstead = { readonly text: string } | { readonly rest: string | null }

/**
 * The window of a conversation, in order, with its tool calls paired. Decisions use its columns. Its items are made
 * only when they are asked for, because a window may hold every message of a conversation.
 */
export class Window {
  readonly columns: WindowColumns
  readonly pairs: Pairing
  /** The tokens of all entries. */
  readonly tokens: number
  /** What the model sees instead of parts, by message and ordinal of the part. */
  readonly prunedTexts: ReadonlyMap<number, ReadonlyMap<number, SeenInstead>>
  /** True when the last compaction was cut off before it had made all its leaves. */
  readonly isLeafPassOpen: boolean
  readonly #parts: WindowParts
  #items: readonly WindowItem[] | undefined

  constructor(parts: WindowParts) {
    this.#parts = parts
    this.columns = parts.columns
    this.pairs = parts.pairs
    this.prunedTexts = parts.prunedTexts
    this.isLeafPassOpen = parts.isLeafPassOpen
    this.tokens = this.tokensIn(0, parts.columns.length)
  }

  get length(): number {
    return this.columns.length
  }

  /** The memory of the conversation. */
  get memory(): Memory {
    return this.#parts.memory
  }

  get conversationId(): number {
    return this.memory.messages.conversationId
  }

  get items(): readonly WindowItem[] {
    this.#items ??= this.itemsIn(0, this.length)
    return this.#items
  }

  /** Returns items `from` ≤ i < `to`. */
  itemsIn(from: number, to: number): WindowItem[] {
    return Array.from({ length: to - from }, (_, place) => this.itemAt(from + place))
  }

  idAt(index: number): string {
    const { memory, entries, others } = this.#parts
    const other = others.get(index)
    if (other) return other.id
    const node = entries.nodeAt(index)
    return node < 0 ? memory.messageId(entries.positionAt(index)) : memory.summaries.at(node).id
  }

  /** Returns ids of the entries `from` ≤ i < `to`. */
  idsIn(from: number, to: number): string[] {
    const ids = new Array<string>(to - from)
    for (let index = from; index < to; index += 1) ids[index - from] = this.idAt(index)
    return ids
  }

  tokensIn(from: number, to: number): number {
    const { tokens } = this.columns
    let sum = 0
    for (let index = from; index < to; index += 1) sum += tokens[index] as number
    return sum
  }

  /** Returns the `seq` of a message, or null for any other entry. */
  seqAt(index: number): number | null {
    const { memory, entries, others } = this.#parts
    const other = others.get(index)
    if (other) return other.seq
    const position = entries.positionAt(index)
    return position < 0 ? null : (memory.messages.seqs[position] as number)
  }

  /** Returns the summary that an entry shows, or null for any other entry. */
  summaryAt(index: number): string | null {
    return this.columns.kinds[index] === SUMMARY ? this.idAt(index) : null
  }

  itemAt(index: number): WindowItem {
    const { others, pruned, columns } = this.#parts
    const item = others.get(index) ?? this.#heldItem(index)
    const taken = pruned.get(index)
    const tokens = columns.tokens[index] as number
    if (taken) return { ...item, tokens, pruned: taken }
    return item.tokens === tokens ? item : { ...item, tokens }
  }

  #heldItem(index: number): WindowItem {
    const { memory, entries, columns, saidAtMs } = this.#parts
    const ordinal = entries.ordinals[index] as number
    const tokens = columns.tokens[index] as number
    const node = entries.nodeAt(index)
    if (node >= 0) {
      const { id, depth } = memory.summaries.at(node)
      const kind = memory.summaries.kindOf(node)
      return summaryItem({ ordinal, id, kind, depth: tokenCount(depth), tokens, saidAtMs: saidAtMs.get(node) ?? null })
    }
    const position = entries.positionAt(index)
    const { ids, seqs, roles, createdAtMs } = memory.messages
    const atMs = createdAtMs[position] as number
    return messageItem({
      ordinal,
      messageId: ids[position] as number,
      role: ROLES[roles[position] as number] ?? null,
      seq: seqs[position] as number,
      tokens,
      createdAtMs: Number.isNaN(atMs) ? null : atMs,
    })
  }
}

type ShownMessage = {
  readonly ordinal: number
  readonly messageId: number
  readonly role: Role | null
  readonly seq: number
  readonly tokens: number
  readonly createdAtMs: number | null
}

export const messageItem = ({ ordinal, messageId, role, seq, tokens, createdAtMs }: ShownMessage): WindowItem => ({
  ordinal,
  id: messageNodeId(messageId),
  kind: 'message',
  messageId,
  summaryId: null,
  role,
  depth: null,
  seq,
  tokens,
  createdAtMs,
})

export const summaryItem = (summary: ShownSummary & { readonly ordinal: number }): WindowItem => ({
  ordinal: summary.ordinal,
  id: summary.id,
  kind: summary.kind,
  messageId: null,
  summaryId: summary.id,
  role: null,
  depth: summary.depth,
  seq: null,
  tokens: summary.tokens,
  createdAtMs: summary.saidAtMs,
})

/** An entry that names nothing. */
export const missingItem = (ordinal: number, id: string): WindowItem => ({
  ordinal,
  id,
  kind: 'missing',
  messageId: null,
  summaryId: null,
  role: null,
  depth: null,
  seq: null,
  tokens: 0,
  createdAtMs: null,
})

/** Returns a stored count as a non-negative integer, whatever the file holds. */
export function tokenCount(value: number | null): number {
  return value === null || !Number.isFinite(value)
    ? 0
    : Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(value)))
}
