import type { Messages } from '#core/memory/messages.ts'
import { unpackInto } from '#core/memory/packed-numbers.ts'
import type { Summaries } from '#core/memory/summaries.ts'
import { WindowEntries } from '#core/memory/window-entries.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

const entry = "conversation_id, ordinal, item_type = 'summary', message_id, summary_id"

/**
 * Statements that read entries a page at a time, behind the last key. Numbers are bound as REAL, which compares with the
 * stored ones as it is.
 * @param time when an entry was placed. Only scans and repairs ask for it, and in large windows it takes as long as the
 * rest
 * @param conversations the conversations of the entries, or NULL where they are all of one
 * @param page the condition of a page with its order
 */
const paged = (time: 'created_at' | 'NULL', conversations: 'group_concat(conversation_id)' | 'NULL', page: string) => ({
  /** A page as one row, because a row an entry costs an object each; and how many entries are not a message alone. */
  packed: /* sql */ `
    SELECT count(*), total(item_type = 'summary' OR summary_id IS NOT NULL), ${conversations},
      group_concat(ordinal), group_concat(message_id), count(placed_at), group_concat(placed_at)
    FROM (
      SELECT conversation_id, ordinal, item_type, message_id, summary_id, ${time} AS placed_at
      FROM context_items
      WHERE ${page}
      LIMIT CAST(:limit AS INTEGER)
    )`,
  rows: /* sql */ `SELECT ${entry}, ${time} FROM context_items WHERE ${page} LIMIT CAST(:limit AS INTEGER)`,
})

const queries = {
  file: {
    length: /* sql */ `SELECT count(*) FROM context_items`,
    isOne: false,
    ...paged(
      'created_at',
      'group_concat(conversation_id)',
      '(conversation_id, ordinal) > (:conversation, :ordinal) ORDER BY conversation_id, ordinal',
    ),
    all: /* sql */ `SELECT ${entry}, created_at FROM context_items ORDER BY conversation_id, ordinal`,
  },
  conversation: {
    length: /* sql */ `SELECT count(*) FROM context_items WHERE conversation_id = :conversation`,
    isOne: true,
    ...paged('NULL', 'NULL', 'conversation_id = :conversation AND ordinal > :ordinal ORDER BY ordinal'),
    all: /* sql */ `
      SELECT ${entry}, NULL FROM context_items WHERE conversation_id = :conversation ORDER BY ordinal`,
    at: /* sql */ `
      SELECT ${entry}, NULL FROM context_items WHERE conversation_id = :conversation AND ordinal = :ordinal`,
  },
}

/** Entries between two yields: some milliseconds, also where a page has to be read a second time. */
const AT_ONCE = 2048

/** The last entry that was read. */
type Key = { readonly conversation: number; readonly ordinal: number }

type SqlRow = [
  conversation: number,
  ordinal: number,
  isSummary: number,
  messageId: number | null,
  summaryId: string | null,
  placedAtMs: number | null,
]

/** The windows of a whole file. */
export const readingWindows = (db: ReadDb, messages: Messages, summaries: Summaries): Generator<void, WindowEntries> =>
  reading(db, queries.file, Number.NEGATIVE_INFINITY, messages, summaries)

/** The window of a conversation of which the messages were read, without when its entries were placed. */
export const readingWindow = (db: ReadDb, messages: Messages, summaries: Summaries): Generator<void, WindowEntries> =>
  reading(db, queries.conversation, messages.conversationId, messages, summaries)

/**
 * The same where entries were appended to a window that was read before: only those are read. Null when the number of
 * entries or the last of them does not prove that. An entry that was changed in its place is not noticed.
 * @param before of the same summaries and of the first of the messages
 */
export function* followingWindow(
  db: ReadDb,
  messages: Messages,
  summaries: Summaries,
  before: WindowEntries,
): Generator<void, WindowEntries | null> {
  const { conversationId: conversation } = messages
  const last = before.length - 1
  // What leads nowhere may lead to one of the new messages.
  if (last < 0 || before.stored.size > 0) return null
  const ordinal = before.ordinals[last] as number
  const length = db.value<number>(queries.conversation.length, { conversation }) ?? 0
  const [row, ...others] = db.rows<SqlRow>(queries.conversation.at, { conversation, ordinal })
  if (length < before.length || row === undefined || others.length > 0) return null
  const isSame = targetOf(row, messages, summaries) === before.targets[last] && row[2] === before.isSummary[last]
  if (!isSame) return null
  const window = before.grown(messages.length, summaries.length)
  yield* readingPages(db, queries.conversation, { conversation, ordinal }, adding(window, messages, summaries))
  return window.length === length ? window : null
}

type Statements = (typeof queries)['file' | 'conversation']

/**
 * Reads entries a page at a time, so that a long window takes no longer for each entry than a short one.
 * @param conversation the conversation of the window, or a number below those of all conversations
 */
function* reading(
  db: ReadDb,
  statements: Statements,
  conversation: number,
  messages: Messages,
  summaries: Summaries,
): Generator<void, WindowEntries> {
  const length = db.value<number>(statements.length, { conversation }) ?? 0
  yield
  const fromPages = new WindowEntries(messages.length, summaries.length, length)
  const first: Key = { conversation, ordinal: Number.NEGATIVE_INFINITY }
  yield* readingPages(db, statements, first, adding(fromPages, messages, summaries))
  if (fromPages.length === length) return fromPages
  // Not every file is a sound one: an ordinal may be missing, or be a text.
  const window = new WindowEntries(messages.length, summaries.length, length)
  const { add } = adding(window, messages, summaries)
  for (const row of db.iterateRows<SqlRow>(statements.all, { conversation })) {
    add(row)
    if (window.length % AT_ONCE === 0) yield
  }
  return window
}

/** Reads what follows a key. Stops where the keys are no numbers that ascend. */
function* readingPages(
  db: ReadDb,
  statements: Statements,
  first: Key,
  { add, addMessages }: ReturnType<typeof adding>,
): Generator<void> {
  for (let after = first; ; ) {
    const page = readPage(db, statements, { ...after, limit: AT_ONCE })
    const { length } = page
    const last = keyAt(page, length - 1)
    if (last === null || !isAfter(last, after)) return
    const isFull = length === AT_ONCE
    let end = length
    // There may be more entries of the last key than the page holds.
    if (isFull) while (end > 0 && !isAfter(last, keyAt(page, end - 1) ?? last)) end -= 1
    if (page.kind === 'messages') addMessages(page, end)
    else for (const row of page.rows.slice(0, end)) add(row)
    const read = keyAt(page, end - 1)
    if (!isFull || read === null) return
    after = read
    yield
  }
}

type MessagePage = {
  readonly kind: 'messages'
  readonly length: number
  readonly conversations: Float64Array
  readonly ordinals: Float64Array
  readonly ids: Float64Array
  /** NaN where the file does not say it. */
  readonly placedAtMs: Float64Array
}
type Page = MessagePage | { readonly kind: 'rows'; readonly length: number; readonly rows: readonly SqlRow[] }

/** The key of an entry of a page, or null when there is no such entry or its key is no number. */
function keyAt(page: Page, index: number): Key | null {
  const [conversation, ordinal] =
    page.kind === 'messages'
      ? [page.conversations[index], page.ordinals[index]]
      : [page.rows[index]?.[0], page.rows[index]?.[1]]
  return typeof conversation === 'number' && typeof ordinal === 'number' ? { conversation, ordinal } : null
}

const isAfter = (key: Key, before: Key): boolean =>
  key.conversation > before.conversation || (key.conversation === before.conversation && key.ordinal > before.ordinal)

type PackedPage = readonly [
  count: number,
  others: number,
  conversations: string | null,
  ordinals: string | null,
  ids: string | null,
  placed: number,
  placedAtMs: string | null,
]

function readPage(db: ReadDb, statements: Statements, params: Key & { readonly limit: number }): Page {
  const [packed] = db.rows<PackedPage>(statements.packed, params)
  const page = packed && unpacked(packed, statements.isOne ? params.conversation : null)
  if (page) return page
  const rows = db.rows<SqlRow>(statements.rows, params)
  return { kind: 'rows', length: rows.length, rows }
}

/**
 * Null when an entry is not a message alone, or a value is no whole number.
 * @param only the conversation of all entries; null when each says its own
 */
function unpacked(
  [count, others, conversations, ordinals, ids, placed, placedAtMs]: PackedPage,
  only: number | null,
): MessagePage | null {
  const column = (text: string | null): Float64Array | null => {
    const numbers = new Float64Array(count)
    return count === 0 || unpackInto(text ?? '', numbers, 0) === count ? numbers : null
  }
  if (others > 0 || (placed > 0 && placed < count)) return null
  const of = only === null ? column(conversations) : new Float64Array(count).fill(only)
  const [at, named] = [column(ordinals), column(ids)]
  const times = placed > 0 ? column(placedAtMs) : new Float64Array(count).fill(Number.NaN)
  return of && at && named && times
    ? { kind: 'messages', length: count, conversations: of, ordinals: at, ids: named, placedAtMs: times }
    : null
}

const targetOf = ([, , isSummary, messageId, summaryId]: SqlRow, messages: Messages, summaries: Summaries): number =>
  isSummary === 1 ? summaries.nodeOf(summaryId ?? '') : messages.positionOf(messageId ?? Number.NaN)

const adding = (window: WindowEntries, messages: Messages, summaries: Summaries) => ({
  add(row: SqlRow): void {
    const [conversation, ordinal, isSummary, messageId, summaryId, placedAtMs] = row
    const entry = { ordinal, messageId, summaryId, placedAtMs }
    window.add(conversation, entry, isSummary === 1, targetOf(row, messages, summaries))
  },
  addMessages({ conversations, ordinals, ids, placedAtMs }: MessagePage, end: number): void {
    for (let index = 0; index < end; index += 1) {
      const id = ids[index] as number
      const [conversation, ordinal] = [conversations[index] as number, ordinals[index] as number]
      window.addMessage(conversation, ordinal, id, messages.positionOf(id), placedAtMs[index])
    }
  },
})
