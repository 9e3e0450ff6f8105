import { ROLES, type Role } from '#core/contract/ids.ts'
import { nextKey } from '#core/sqlite/keyset.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

const columns = `message_id AS id, conversation_id AS conversationId, seq, role, token_count AS tokens,
      created_at AS createdAtMs`

/** Rows of one batch. */
const AT_ONCE = 4096

const queries = {
  ofConversation: /* sql */ `
    SELECT message_id FROM messages WHERE conversation_id = :conversationId ORDER BY seq`,
  firstOfUser: /* sql */ `
    SELECT j.value, (
      SELECT message_id
      FROM (
        SELECT message_id, role, seq FROM messages
        WHERE conversation_id = j.value
        ORDER BY seq
        LIMIT CAST(:among AS INTEGER)
      )
      WHERE role = 'user'
      ORDER BY seq
      LIMIT 1
    )
    FROM json_each(:ids) AS j`,
  firstTime: /* sql */ `
    SELECT created_at FROM messages WHERE conversation_id = :conversationId ORDER BY seq LIMIT 1`,
  lastTime: /* sql */ `
    SELECT created_at FROM messages WHERE conversation_id = :conversationId ORDER BY seq DESC LIMIT 1`,
  externalIds: /* sql */ `
    SELECT message_id, external_id FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND external_id IS NOT NULL`,
  whatAndWhen: /* sql */ `
    SELECT message_id, created_at || ' ' || role || ' ' || content_hash FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND content_hash IS NOT NULL`,
  places: /* sql */ `
    SELECT seq FROM messages
    WHERE conversation_id = :conversationId AND external_id IN (SELECT value FROM json_each(:externalIds))`,
  newestOf: /* sql */ `
    SELECT message_id AS number, external_id AS externalId, role, substr(content, 1, :textChars) AS text
    FROM messages
    WHERE conversation_id = :conversationId
    ORDER BY seq DESC
    LIMIT CAST(:limit AS INTEGER)`,
  byId: /* sql */ `
    SELECT ${columns}
    FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  weights: /* sql */ `
    SELECT message_id, role, token_count FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  after: /* sql */ `
    SELECT ${columns}
    FROM messages
    WHERE message_id > :last
    ORDER BY message_id
    LIMIT CAST(:limit AS INTEGER)`,
  largest: /* sql */ `
    SELECT message_id FROM messages
    WHERE conversation_id = :conversationId
    ORDER BY token_count DESC, seq
    LIMIT CAST(:limit AS INTEGER)`,
  newest: /* sql */ `SELECT max(message_id) FROM messages`,
  hashes: /* sql */ `
    SELECT message_id, content_hash FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  hashesAfter: /* sql */ `
    SELECT message_id, conversation_id, content_hash
    FROM messages
    WHERE message_id > :last
    ORDER BY message_id
    LIMIT ${AT_ONCE}`,
  spoken: /* sql */ `
    SELECT message_id FROM messages
    WHERE conversation_id = :conversationId AND message_id NOT IN (SELECT message_id FROM event_messages)
    ORDER BY seq`,
}

/** A message without its text, as stored. */
export type MessageHead = {
  readonly id: number
  readonly conversationId: number
  readonly seq: number
  /** Any text in a damaged file; see `knownRole`. */
  readonly role: string | null
  readonly tokens: number | null
  readonly createdAtMs: number | null
}

/** Some messages, wherever they are; those of one whole conversation are columns of `MemoryReader`. */
export const messageHeads = (db: ReadDb, ids: readonly number[]): MessageHead[] =>
  ids.length === 0 ? [] : db.all<MessageHead>(queries.byId, { ids: JSON.stringify(ids) })

/** The role and tokens of some messages by their numbers. */
export const messageWeights = (
  db: ReadDb,
  ids: readonly number[],
): ReadonlyMap<number, readonly [id: number, role: string | null, tokens: number | null]> =>
  new Map(
    db
      .rows<[number, string | null, number | null]>(queries.weights, { ids: JSON.stringify(ids) })
      .map((row) => [row[0], row]),
  )

/** The `seq` of those messages of a conversation to which the agent gave these ids. */
export const placesOf = (db: ReadDb, conversationId: number, externalIds: readonly string[]): number[] =>
  db.column<number>(queries.places, { conversationId, externalIds: JSON.stringify(externalIds) })

/** The ids that the agent gave to some messages, by their numbers. */
export const externalIdsOf = (db: ReadDb, ids: readonly number[]): ReadonlyMap<number, string> =>
  new Map(db.rows<[number, string]>(queries.externalIds, { ids: JSON.stringify(ids) }))

/** What was said in some messages, by whom and when, by their numbers: a copy under another id has the same. */
export const whatAndWhen = (db: ReadDb, ids: readonly number[]): ReadonlyMap<number, string> =>
  new Map(db.rows<[number, string]>(queries.whatAndWhen, { ids: JSON.stringify(ids) }))

type NewestMessage = {
  readonly number: number
  readonly externalId: string | null
  readonly role: string | null
  readonly text: string
}

/** The newest messages of a conversation in their order, with the beginnings of their texts. */
export const newestMessages = (
  db: ReadDb,
  asked: { readonly conversationId: number; readonly limit: number; readonly textChars: number },
): NewestMessage[] => db.all<NewestMessage>(queries.newestOf, asked).reverse()

/** Numbers of all messages of a conversation in their order. */
export const messagesOf = (db: ReadDb, conversationId: number): number[] =>
  db.column<number>(queries.ofConversation, { conversationId })

/** The first messages above a number, in the order of their numbers. */
export const messagesAfter = (db: ReadDb, last: number, limit: number): MessageHead[] =>
  db.all<MessageHead>(queries.after, { last, limit })

/** Numbers of the messages of a conversation with most tokens. */
export const largestMessages = (db: ReadDb, conversationId: number, limit: number): number[] =>
  db.column<number>(queries.largest, { conversationId, limit })

/** The highest number of a message; 0 when there is none. */
export const highestMessage = (db: ReadDb): number => db.value<number>(queries.newest) ?? 0

const KNOWN_ROLES: ReadonlyMap<string | null, Role> = new Map(ROLES.map((role) => [role, role]))

/** Returns null for a text that is no role. */
export const knownRole = (role: string | null): Role | null => KNOWN_ROLES.get(role) ?? null

/** Stored hashes of the contents of some messages that are there, by their numbers. */
export const contentHashes = (db: ReadDb, ids: readonly number[]): ReadonlyMap<number, string | null> =>
  new Map(db.rows<[number, string | null]>(queries.hashes, { ids: JSON.stringify(ids) }))

/** Stored hashes of the contents of all messages, in the order of their numbers. */
export function* everyContentHash(
  db: ReadDb,
): Generator<readonly [messageId: number, conversationId: number, hash: string]> {
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = db.rows<[number, number, string]>(queries.hashesAfter, { last })
    yield* rows
    if (rows.length < AT_ONCE) return
    last = nextKey(db, 'the numbers of messages', last, rows.at(-1)?.[0])
  }
}

/** Numbers of the messages of a conversation in their order, without those that record an event. */
export const spokenMessages = (db: ReadDb, conversationId: number): number[] =>
  db.column<number>(queries.spoken, { conversationId })

/**
 * Returns the first message of a person in each of some conversations, by conversation. One without any is absent.
 * @param among how many messages at the beginning of each are looked at
 */
export const firstUserMessages = (db: ReadDb, ids: readonly number[], among: number): ReadonlyMap<number, number> =>
  new Map(
    db
      .rows<[conversationId: number, messageId: number | null]>(queries.firstOfUser, {
        ids: JSON.stringify(ids),
        among,
      })
      .flatMap(([id, messageId]): [number, number][] => (messageId === null ? [] : [[id, messageId]])),
  )

/** When the first message of a conversation was said; null without one, or when its time is not known. */
export const firstMessageAtMs = (db: ReadDb, conversationId: number): number | null =>
  timeIn(db.value(queries.firstTime, { conversationId }))

/** When the last message of a conversation was said; null as for the first. */
export const lastMessageAtMs = (db: ReadDb, conversationId: number): number | null =>
  timeIn(db.value(queries.lastTime, { conversationId }))

const timeIn = (atMs: unknown): number | null => (typeof atMs === 'number' ? atMs : null)
