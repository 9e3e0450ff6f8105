import type { Messages } from '../memory/messages.ts'
import { unpackInto } from '../memory/packed-numbers.ts'
import type { Summaries } from '../memory/summaries.ts'
import { WindowEntries } from '../memory/window-entries.ts'
import type { ReadDb } from '../sqlite/read-db.ts'

const entry = "conversation_id, ordinal, item_type = 'summary', message_id, summary_id"

/** When an entry was placed is asked for by scans and repairs alone. In large windows it takes as long as the rest. */
const withoutTime = `${entry}, NULL`

/** A page of the window of a conversation. Numbers are bound as REAL, which compares with the stored ones as it is. */
const page = `conversation_id = :conversation AND ordinal > :after ORDER BY ordinal LIMIT CAST(:limit AS INTEGER)`

const queries = {
  all: /* sql */ `
    SELECT ${entry}, created_at FROM context_items ORDER BY conversation_id, ordinal`,
  length: /* sql */ `SELECT count(*) FROM context_items WHERE conversation_id = :conversation`,
  /** A page as one row, because a row an entry costs an object each; and how many entries are not a message alone. */
  packed: /* sql */ `
    SELECT count(*), total(item_type = 'summary' OR summary_id IS NOT NULL), group_concat(ordinal),
      group_concat(message_id)
    FROM (SELECT ordinal, item_type, message_id, summary_id FROM context_items WHERE ${page})`,
  rows: /* sql */ `SELECT ${withoutTime} FROM context_items WHERE ${page}`,
  allOf: /* sql */ `
    SELECT ${withoutTime} FROM context_items WHERE conversation_id = :conversation ORDER BY ordinal`,
}

/** Entries between two pauses: some milliseconds. */
const AT_ONCE = 4096

type SqlRow = [
  conversation: number,
  ordinal: number,
  isSummary: number,
  messageId: number | null,
  summaryId: string | null,
  placedAtMs: number | null,
]

/** The windows of a whole file. */
export function* readingWindows(db: ReadDb, messages: Messages, summaries: Summaries): Generator<void, WindowEntries> {
  const window = new WindowEntries(messages.length, summaries.length)
  const add = adding(window, messages, summaries)
  for (const row of db.iterateRows<SqlRow>(queries.all)) {
    add(row)
    if (window.length % AT_ONCE === 0) yield
  }
  return window
}

/**
 * The window of a conversation of which the messages were read, without when its entries were placed. It is read a page
 * at a time behind the last ordinal, so that a long one takes no longer for each entry than a short one.
 */
export function* readingWindow(db: ReadDb, messages: Messages, summaries: Summaries): Generator<void, WindowEntries> {
  const { conversationId: conversation } = messages
  const length = db.value<number>(queries.length, { conversation }) ?? 0
  const paged = new WindowEntries(messages.length, summaries.length, length)
  yield* readingPages(db, conversation, paged, messages, summaries)
  if (paged.length === length) return paged
  // Not every file is a sound one: an ordinal may be missing, or be a text.
  const window = new WindowEntries(messages.length, summaries.length, length)
  const add = adding(window, messages, summaries)
  for (const row of db.rows<SqlRow>(queries.allOf, { conversation })) add(row)
  return window
}

/** Stops where the ordinals are no numbers that ascend. */
function* readingPages(
  db: ReadDb,
  conversation: number,
  window: WindowEntries,
  messages: Messages,
  summaries: Summaries,
): Generator<void> {
  const add = adding(window, messages, summaries)
  for (let after = Number.NEGATIVE_INFINITY; ; ) {
    const params = { conversation, after, limit: AT_ONCE }
    const entries = readPage(db, params)
    const last = entries.ordinals.at(-1)
    if (last === undefined || !(last > after)) return
    const isFull = entries.ordinals.length === AT_ONCE
    let end = entries.ordinals.length
    // There may be more of the last ordinal than the page holds.
    if (isFull) while (end > 0 && entries.ordinals[end - 1] === last) end -= 1
    if (entries.kind === 'messages') {
      for (let index = 0; index < end; index += 1) {
        const id = entries.ids[index] as number
        window.addMessage(conversation, entries.ordinals[index] as number, id, messages.positionOf(id))
      }
    } else for (const row of entries.rows.slice(0, end)) add(row)
    if (!isFull || end === 0) return
    after = entries.ordinals[end - 1] as number
    yield
  }
}

type Page =
  | { readonly kind: 'messages'; readonly ordinals: Float64Array; readonly ids: Float64Array }
  | { readonly kind: 'rows'; readonly ordinals: Float64Array; readonly rows: readonly SqlRow[] }

function readPage(db: ReadDb, params: { conversation: number; after: number; limit: number }): Page {
  const [packed] = db.rows<[number, number, string | null, string | null]>(queries.packed, params)
  const [count, others, packedOrdinals, packedIds] = packed ?? [0, 0, null, null]
  const [ordinals, ids] = [new Float64Array(count), new Float64Array(count)]
  if (count === 0) return { kind: 'messages', ordinals, ids }
  const isWhole = (text: string | null, into: Float64Array): boolean => unpackInto(text ?? '', into, 0) === count
  if (others === 0 && isWhole(packedOrdinals, ordinals) && isWhole(packedIds, ids)) {
    return { kind: 'messages', ordinals, ids }
  }
  const rows = db.rows<SqlRow>(queries.rows, params)
  return {
    kind: 'rows',
    rows,
    ordinals: Float64Array.from(rows, ([, ordinal]) => (typeof ordinal === 'number' ? ordinal : Number.NaN)),
  }
}

const adding =
  (window: WindowEntries, messages: Messages, summaries: Summaries) =>
  ([conversation, ordinal, isSummary, messageId, summaryId, placedAtMs]: SqlRow): void => {
    const target = isSummary === 1 ? summaries.nodeOf(summaryId ?? '') : messages.positionOf(messageId ?? Number.NaN)
    window.add(conversation, { ordinal, messageId, summaryId, placedAtMs }, isSummary === 1, target)
  }
