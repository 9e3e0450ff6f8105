import { type ConversationHead, Memory } from '../memory/memory.ts'
import type { Messages } from '../memory/messages.ts'
import type { Summaries } from '../memory/summaries.ts'
import { type StoredEntry, WindowEntries } from '../memory/window-entries.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readingLinks } from './read-links.ts'
import { readingAllMessages } from './read-messages.ts'
import { readingSummaries } from './read-summaries.ts'

const head = 'conversation_id AS id, archived_at AS archivedAtMs'
const entry = "ordinal, item_type = 'summary' AS isSummary, message_id AS messageId, summary_id AS summaryId"

const queries = {
  heads: /* sql */ `SELECT ${head} FROM conversations`,
  headOf: /* sql */ `SELECT ${head} FROM conversations WHERE conversation_id = :conversation`,
  events: /* sql */ `SELECT message_id FROM event_messages`,
  entries: /* sql */ `
    SELECT conversation_id AS conversation, ${entry}, created_at AS placedAtMs
    FROM context_items
    ORDER BY conversation_id, ordinal`,
  /** When an entry was placed is asked for by scans and repairs alone. In large windows it takes as long as the rest. */
  entriesOf: /* sql */ `
    SELECT ${entry}, NULL AS placedAtMs FROM context_items WHERE conversation_id = :conversation ORDER BY ordinal`,
}

/** Rows between two pauses. */
const AT_ONCE = 4096

/**
 * Reads all that a file holds but texts, in one pass, a piece of some milliseconds at a time. Call inside a snapshot.
 * @param recordsTokens whether the file stores how many tokens a summary's messages have
 */
export function* readingMemory(db: ReadDb, recordsTokens: boolean): Generator<void, Memory> {
  const conversations = headsById(db.all<ConversationHead>(queries.heads))
  const messages = yield* readingAllMessages(db)
  const events = new Set(db.column<number>(queries.events).map((id) => messages.positionOf(id)))
  const summaries = yield* readingSummaries(db, recordsTokens)
  const links = yield* readingLinks(db, messages, summaries)
  const window = new WindowEntries(messages.length, summaries.length)
  for (const row of db.iterate<EntryRow & { conversation: number }>(queries.entries)) {
    addEntry(window, row.conversation, row, messages, summaries)
    if (window.length % AT_ONCE === 0) yield
  }
  return new Memory({ conversations, messages, events, summaries, links, window })
}

const headsById = (all: readonly ConversationHead[]): ReadonlyMap<number, ConversationHead> =>
  new Map(all.map((head) => [head.id, head]))

/** Of one conversation. */
export const readHead = (db: ReadDb, conversation: number): ReadonlyMap<number, ConversationHead> =>
  headsById(db.all<ConversationHead>(queries.headOf, { conversation }))

/** The window of a conversation of which the messages were read, without when its entries were placed. */
export function readWindowOf(db: ReadDb, messages: Messages, summaries: Summaries): WindowEntries {
  const window = new WindowEntries(messages.length, summaries.length)
  const conversation = messages.conversationId
  for (const row of db.all<EntryRow>(queries.entriesOf, { conversation })) {
    addEntry(window, conversation, row, messages, summaries)
  }
  return window
}

type EntryRow = StoredEntry & { readonly isSummary: number }

function addEntry(
  window: WindowEntries,
  conversation: number,
  row: EntryRow,
  messages: Messages,
  summaries: Summaries,
): void {
  const isSummary = row.isSummary === 1
  const target = isSummary ? summaries.nodeOf(row.summaryId ?? '') : messages.positionOf(row.messageId ?? Number.NaN)
  window.add(conversation, row, isSummary, target)
}
