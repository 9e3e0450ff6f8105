import { z } from 'zod'
import type { ConversationRow, ConversationsInput } from '#core/contract/memory.ts'
import { badCursor, decodeCursor, encodeCursor } from '#core/cursor.ts'
import { sha256 } from '#core/hashing.ts'
import type { StoredConversation } from '#core/systems/records/conversations.ts'
import { type ConversationSortKey, compareSortKeys, sortKeyOf } from '../conversation-order.ts'

/** What is known of a conversation without its messages. */
export type ConversationFacts = StoredConversation & Pick<ConversationRow, 'summaries' | 'maxDepth'>

const Cursor = z.object({
  /** The hash of the question. */
  conversations: z.string(),
  after: z.tuple([z.number(), z.number(), z.int()]),
})

type Page = {
  /** How many of the ancestors of each conversation are in the list. Null where that was not asked. */
  readonly depths: ReadonlyMap<number, number> | null
  readonly rows: readonly ConversationFacts[]
  readonly nextCursor: string | null
  readonly found: number
  readonly internal: number
}

/**
 * Chooses a page of conversations.
 * @param sizeOf what conversations are sorted by unless that is their last change; null when it is not known
 * @param isMeant whether a conversation is one of those that are asked for, besides its words and its parent
 * @throws LcmError invalid_argument for a cursor of another question
 */
export function conversationPage(
  all: readonly ConversationFacts[],
  input: ConversationsInput,
  sizeOf: (conversation: ConversationFacts) => number | null,
  isMeant: (conversation: ConversationFacts) => boolean = () => true,
): Page {
  const after = sortKeyAfter(input)
  const fitting = all.filter(fits(input)).filter(isMeant)
  const internal = fitting.reduce((count, each) => count + Number(Boolean(each.internal)), 0)
  const shown = input.internal === 'hidden' && internal > 0 ? fitting.filter((each) => !each.internal) : fitting
  const left: SortedRow[] = []
  for (const row of shown) {
    const key = sortKeyOf(row, input.sort, sizeOf(row), input.reversed)
    if (input.families || after === null || compareSortKeys(after, key) < 0) left.push({ key, row })
  }
  left.sort((a, b) => compareSortKeys(a.key, b.key))
  const trees = input.families ? asTrees(left, ({ row }) => row) : left
  const rest = input.families ? restAfter(trees, after) : left
  const page = rest.slice(0, input.limit)
  const last = page.length < rest.length ? page.at(-1) : undefined
  const depths = input.families ? depthsIn(trees) : null
  return {
    depths,
    rows: page.map(({ row }) => row),
    nextCursor: last ? encodeCursor({ conversations: questionHash(input), after: last.key }) : null,
    found: shown.length,
    internal,
  }
}

type SortedRow = { readonly key: ConversationSortKey; readonly row: ConversationFacts }

/** Returns those after the last one of the page before. */
const restAfter = (ordered: readonly SortedRow[], after: ConversationSortKey | null): readonly SortedRow[] =>
  after === null ? ordered : ordered.slice(ordered.findIndex(({ row }) => row.conversationId === after[2]) + 1)

function depthsIn(ordered: readonly SortedRow[]): ReadonlyMap<number, number> {
  const depths = new Map<number, number>()
  for (const { row } of ordered) depths.set(row.conversationId, (depths.get(row.parentConversationId ?? -1) ?? -1) + 1)
  return depths
}

/**
 * Puts each conversation behind the one that it came from, where that is there. A family has the place of its first
 * member in the given order.
 */
function asTrees<Item>(
  items: readonly Item[],
  rowOf: (item: Item) => Pick<ConversationRow, 'conversationId' | 'parentConversationId'>,
): Item[] {
  const byId = new Map(items.map((item) => [rowOf(item).conversationId, item]))
  const children = Map.groupBy(items, (item) => rowOf(item).parentConversationId)
  const ordered = new Set<Item>()
  const add = (first: Item): void => {
    const open = [first]
    for (let item = open.pop(); item !== undefined; item = open.pop()) {
      if (ordered.has(item)) continue
      ordered.add(item)
      open.push(...(children.get(rowOf(item).conversationId) ?? []).toReversed())
    }
  }
  for (const item of items) {
    // With the first member of a family all others were put in their places.
    if (ordered.has(item)) continue
    let root = item
    // A damaged file may name conversations as parents of each other.
    const seen = new Set<Item>()
    for (
      let above: Item | undefined = item;
      above && !seen.has(above);
      above = byId.get(rowOf(above).parentConversationId ?? -1)
    ) {
      seen.add(above)
      root = above
    }
    add(root)
    add(item)
  }
  return [...ordered]
}

/** Returns a test for conversations that are asked for and hold every word, in any order and any case. */
function fits({
  query,
  parentConversationId: parent,
}: ConversationsInput): (conversation: ConversationFacts) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return ({ title, sessionId, conversationId, parentConversationId }) => {
    if (parent !== undefined && parentConversationId !== parent) return false
    if (words.length === 0) return true
    const text = `${title ?? ''} ${sessionId} ${conversationId}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

function sortKeyAfter(input: ConversationsInput): ConversationSortKey | null {
  if (input.cursor === undefined) return null
  const { conversations, after } = decodeCursor(input.cursor, Cursor)
  if (conversations !== questionHash(input)) throw badCursor('it belongs to another list of conversations')
  return after
}

/** Names a question without its page. */
function questionHash(input: ConversationsInput): string {
  const { conversationIds, parentConversationId, query, internal, sort, reversed, only, minPressure, families } = input
  const question = [conversationIds ?? null, parentConversationId ?? null, query, internal, sort]
  const narrowed = reversed || only !== 'all' || minPressure !== undefined ? [reversed, only, minPressure ?? null] : []
  return sha256(JSON.stringify([...question, ...narrowed, ...(families ? ['families'] : [])])).slice(0, 16)
}
