import { type ConversationHead, Memory } from '#core/memory/memory.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readingLinks } from './read-links.ts'
import { readingAllMessages } from './read-messages.ts'
import { NUMBERS_FROM_SOURCES, type NumberFromSources, readingSummaries } from './read-summaries.ts'
import { readingWindows } from './read-window-entries.ts'

const head = 'conversation_id AS id, archived_at AS archivedAtMs'

const queries = {
  heads: /* sql */ `SELECT ${head} FROM conversations`,
  headOf: /* sql */ `SELECT ${head} FROM conversations WHERE conversation_id = :conversation`,
  events: /* sql */ `SELECT message_id FROM event_messages`,
}

/**
 * Reads all that a file holds but texts, in one pass, a piece of some milliseconds at a time. Call inside a snapshot.
 * @param numbers what is read of the numbers that follow from a summary's sources. A draft needs all of them, a scan those
 * that the file stores
 */
export function* readingMemory(
  db: ReadDb,
  numbers: readonly NumberFromSources[] = NUMBERS_FROM_SOURCES,
): Generator<void, Memory> {
  const conversations = headsById(db.all<ConversationHead>(queries.heads))
  const messages = yield* readingAllMessages(db)
  const events = new Set(db.column<number>(queries.events).map((id) => messages.positionOf(id)))
  yield
  const summaries = yield* readingSummaries(db, numbers)
  yield
  const links = yield* readingLinks(db, messages, summaries)
  yield
  const window = yield* readingWindows(db, messages, summaries)
  return new Memory({ conversations, messages, events, summaries, links, window })
}

const headsById = (all: readonly ConversationHead[]): ReadonlyMap<number, ConversationHead> =>
  new Map(all.map((head) => [head.id, head]))

/** The head of one conversation; none when it is not there. */
export const readHead = (db: ReadDb, conversation: number): ReadonlyMap<number, ConversationHead> =>
  headsById(db.all<ConversationHead>(queries.headOf, { conversation }))
