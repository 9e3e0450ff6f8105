import type { ReadDb } from '#core/sqlite/read-db.ts'
import { hasCallIndex } from './parts.ts'

const queries = {
  entriesOf: /* sql */ `
    SELECT ordinal, message_id AS messageId, summary_id AS summaryId
    FROM context_items
    WHERE conversation_id = :conversation
    ORDER BY ordinal`,
  entries: /* sql */ `
    SELECT conversation_id, message_id, summary_id
    FROM context_items
    WHERE conversation_id IN (SELECT value FROM json_each(:conversations))
    ORDER BY conversation_id, ordinal`,
  plain: /* sql */ `
    SELECT c.conversation_id, count(*), total(m.token_count)
    FROM context_items AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    WHERE c.conversation_id IN (SELECT value FROM json_each(:conversations))
    GROUP BY c.conversation_id
    HAVING min(
      typeof(m.token_count) = 'integer' AND m.token_count > 0
      AND m.message_id NOT IN (SELECT message_id FROM message_parts WHERE tool_call_id IS NOT NULL)
    )`,
  ofMessages: /* sql */ `
    SELECT message_id AS id, conversation_id AS conversationId
    FROM context_items
    WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  ofSummaries: /* sql */ `
    SELECT summary_id AS id, conversation_id AS conversationId
    FROM context_items
    WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  /** 0-based; ordinals may have gaps. */
  place: /* sql */ `
    SELECT count(*)
    FROM context_items AS before
    JOIN (
      SELECT min(ordinal) AS ordinal FROM context_items
      WHERE conversation_id = :conversation AND (message_id = CAST(:message AS INTEGER) OR summary_id = :summary)
    ) AS item ON before.ordinal < item.ordinal
    WHERE before.conversation_id = :conversation`,
  firstOf: /* sql */ `
    SELECT coalesce(summary_id, 'msg_' || message_id)
    FROM context_items
    WHERE conversation_id = :conversation
      AND (message_id IN (SELECT value FROM json_each(:messages)) OR summary_id IN (SELECT value FROM json_each(:summaries)))
    ORDER BY ordinal
    LIMIT 1`,
  allMessages: /* sql */ `
    SELECT c.message_id
    FROM context_items AS c
    JOIN messages AS m ON m.message_id = c.message_id AND m.conversation_id = c.conversation_id`,
  allSummaries: /* sql */ `
    SELECT s.summary_rowid
    FROM context_items AS c
    JOIN summaries AS s ON s.summary_id = c.summary_id AND s.conversation_id = c.conversation_id`,
}

/** An entry of a window. What it names may be gone, and in a damaged file it may name nothing. */
export type WindowEntry = { readonly messageId: number | null; readonly summaryId: string | null }

type StoredEntry = WindowEntry & { readonly ordinal: number }

/** The window of one conversation, in its order. */
export const windowEntries = (db: ReadDb, conversation: number): StoredEntry[] =>
  db.all<StoredEntry>(queries.entriesOf, { conversation })

/** The windows that are yielded together hold about so many entries. */
const ENTRIES_AT_ONCE = 10_000

/**
 * Yields the windows of some conversations, many at a time. Conversations without an entry are left out. Of one with a
 * long window `MemoryReader` has the same in columns.
 */
export function* windowsOf(db: ReadDb, conversationIds: readonly number[]): Generator<Map<number, WindowEntry[]>> {
  type Row = [conversationId: number, messageId: number | null, summaryId: string | null]
  let windows = new Map<number, WindowEntry[]>()
  let window: WindowEntry[] = []
  let last: number | null = null
  let entries = 0
  const asked = { conversations: JSON.stringify(conversationIds) }
  for (const [conversationId, messageId, summaryId] of db.iterateRows<Row>(queries.entries, asked)) {
    if (conversationId !== last) {
      if (entries >= ENTRIES_AT_ONCE) {
        yield windows
        windows = new Map()
        entries = 0
      }
      window = []
      windows.set(conversationId, window)
      last = conversationId
    }
    window.push({ messageId, summaryId })
    entries += 1
  }
  if (entries > 0) yield windows
}

/** For fewer windows than this, reading their entries is faster than listing all messages with tool calls. */
const MANY_WINDOWS = 1000

type PlainWindow = readonly [conversationId: number, items: number, tokens: number]

/**
 * Yields the windows that hold only messages with a count of tokens and without tool calls. Their entries are counted by
 * one statement instead of being read. Yields nothing for fewer than a thousand windows, or when the file has no index of
 * tool calls.
 */
export function* plainWindowsOf(db: ReadDb, conversationIds: readonly number[]): Generator<PlainWindow> {
  if (conversationIds.length < MANY_WINDOWS || !hasCallIndex(db)) return
  yield* db.iterateRows<PlainWindow>(queries.plain, { conversations: JSON.stringify(conversationIds) })
}

/** A conversation in whose window something is listed. */
type WindowMembership<Id> = { readonly id: Id; readonly conversationId: number }

/** The windows in which some messages are listed. */
export const windowsOfMessages = (db: ReadDb, ids: readonly number[]): WindowMembership<number>[] =>
  db.all<WindowMembership<number>>(queries.ofMessages, { ids: JSON.stringify(ids) })

/** The windows in which some summaries are listed. No query runs for none: some systems have no index for it. */
export const windowsOfSummaries = (db: ReadDb, ids: readonly string[]): WindowMembership<string>[] =>
  ids.length === 0 ? [] : db.all<WindowMembership<string>>(queries.ofSummaries, { ids: JSON.stringify(ids) })

/** The place of a message or of a summary in a window, from 0. One of the two is null. */
export const placeInWindow = (
  db: ReadDb,
  conversation: number,
  message: number | null,
  summary: string | null,
): number | null => db.value<number>(queries.place, { conversation, message, summary }) ?? null

/** The id of the first entry of a window that is one of some messages or summaries. */
export const firstInWindow = (
  db: ReadDb,
  conversation: number,
  messages: readonly number[],
  summaries: readonly string[],
): string | null =>
  db.value<string>(queries.firstOf, {
    conversation,
    messages: JSON.stringify(messages),
    summaries: JSON.stringify(summaries),
  }) ?? null

/** All messages that are listed in the windows of their own conversations. */
export const messagesInWindows = (db: ReadDb): number[] => db.column<number>(queries.allMessages)

/** The row numbers of all summaries that are listed in the windows of their own conversations. */
export const summaryRowsInWindows = (db: ReadDb): number[] => db.column<number>(queries.allSummaries)
