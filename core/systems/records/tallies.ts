import type { ReadDb } from '#core/sqlite/read-db.ts'

/** The conversations whose rows are counted: null for all. */
export type Conversations = readonly number[] | null

/** A statement for all conversations, and one for those of a list. */
const forConversations = (statement: (where: string) => string) => ({
  all: statement(''),
  some: statement('WHERE conversation_id IN (SELECT value FROM json_each(:ids))'),
})

const queries = {
  /** What an index of messages tells; the texts are not read over. */
  messages: forConversations(
    (where) => /* sql */ `
    SELECT conversation_id, count(*) FROM messages ${where} GROUP BY conversation_id`,
  ),
  tokens: forConversations(
    (where) => /* sql */ `
    SELECT conversation_id, CAST(total(token_count) AS INTEGER) FROM messages ${where} GROUP BY conversation_id`,
  ),
  entries: forConversations(
    (where) => /* sql */ `
    SELECT conversation_id, count(*), count(message_id)
    FROM context_items ${where}
    GROUP BY conversation_id`,
  ),
  summaries: forConversations(
    (where) => /* sql */ `
    SELECT conversation_id AS conversationId, count(*) AS summaries, max(depth) AS maxDepth, max(created_at) AS lastAtMs
    FROM summaries ${where}
    GROUP BY conversation_id`,
  ),
  changes: forConversations(
    (where) => /* sql */ `
    SELECT conversation_id, max(coalesce(finished_at, started_at)) FROM compaction_runs ${where} GROUP BY conversation_id
    UNION ALL
    SELECT conversation_id, max(at) FROM surgery_events ${where} GROUP BY conversation_id`,
  ),
  runs: forConversations(
    (where) => /* sql */ `
    SELECT conversation_id, max(started_at) FROM compaction_runs ${where} GROUP BY conversation_id`,
  ),
  roles: /* sql */ `
    SELECT role AS key, count(*) AS count, CAST(total(token_count) AS INTEGER) AS tokens
    FROM messages
    WHERE conversation_id = :conversationId
    GROUP BY role
    ORDER BY tokens DESC, role`,
  depths: /* sql */ `SELECT depth, count(*) FROM summaries GROUP BY depth ORDER BY depth`,
  depthsOf: /* sql */ `
    SELECT CAST(depth AS TEXT) AS key, count(*) AS count, CAST(total(token_count) AS INTEGER) AS tokens,
      CAST(total(source_token_count) AS INTEGER) AS sourceTokens
    FROM summaries
    WHERE conversation_id = :conversationId
    GROUP BY depth
    ORDER BY depth`,
  largeTexts: /* sql */ `
    SELECT count(*) AS messages, total(octet_length(content)) AS bytes
    FROM messages
    WHERE token_count > CAST(:tokens AS INTEGER)`,
}

const all = <Row>(
  db: ReadDb,
  statement: ReturnType<typeof forConversations>,
  of: Conversations,
): (Row & { readonly conversationId: number })[] =>
  of === null ? db.all(statement.all) : db.all(statement.some, { ids: JSON.stringify(of) })

const rows = <Row extends readonly (number | null)[]>(
  db: ReadDb,
  statement: ReturnType<typeof forConversations>,
  of: Conversations,
): Row[] => (of === null ? db.rows<Row>(statement.all) : db.rows<Row>(statement.some, { ids: JSON.stringify(of) }))

const byConversation = <Row extends { readonly conversationId: number }>(
  rows: readonly Row[],
): ReadonlyMap<number, Row> => new Map(rows.map((row) => [row.conversationId, row]))

/** How many messages conversations have; one without any is absent. */
export const messageCounts = (db: ReadDb, of: Conversations): ReadonlyMap<number, number> =>
  new Map(rows<[number, number]>(db, queries.messages, of))

/** Tokens of all messages of conversations. In some files this reads over every text. */
export const messageTokens = (db: ReadDb, of: Conversations): ReadonlyMap<number, number> =>
  new Map(rows<[number, number]>(db, queries.tokens, of))

export type EntryCounts = { readonly items: number; readonly messages: number }

/** How many entries the windows of conversations have, and how many of them are messages. */
export const entryCounts = (db: ReadDb, of: Conversations): ReadonlyMap<number, EntryCounts> =>
  new Map(
    rows<[number, number, number]>(db, queries.entries, of).map(([id, items, messages]) => [id, { items, messages }]),
  )

type SummaryTally = { readonly summaries: number; readonly maxDepth: number; readonly lastAtMs: number | null }

/** How many summaries conversations have, the greatest depth, and when the last one was made. */
export const summaryTallies = (db: ReadDb, of: Conversations): ReadonlyMap<number, SummaryTally> =>
  byConversation(all<SummaryTally>(db, queries.summaries, of))

/** When conversations were compacted and changed by hand for the last time: up to two rows for each. */
export const lastChanges = (
  db: ReadDb,
  of: Conversations,
): (readonly [conversationId: number, atMs: number | null])[] => rows<[number, number | null]>(db, queries.changes, of)

/** When the last run of each conversation began. One without a run is absent. */
export const lastRuns = (db: ReadDb, of: Conversations): ReadonlyMap<number, number | null> =>
  new Map(rows<[number, number | null]>(db, queries.runs, of))

type Tally = { readonly key: string; readonly count: number; readonly tokens: number }

/** Messages of a conversation by role, those with most tokens first. */
export const roleTallies = (db: ReadDb, conversationId: number): Tally[] =>
  db.all<Tally>(queries.roles, { conversationId })

/** How many summaries a memory has of each depth, which ascend. */
export const depthCounts = (db: ReadDb): (readonly [depth: number, count: number])[] =>
  db.rows<[number, number]>(queries.depths)

/** Summaries of a conversation by depth, which ascends, with the tokens of what they stand for. */
export const depthTallies = (db: ReadDb, conversationId: number): (Tally & { readonly sourceTokens: number })[] =>
  db.all(queries.depthsOf, { conversationId })

/** How many messages have more tokens than a limit, and the bytes of their contents. */
export const largeTexts = (db: ReadDb, tokens: number): { readonly messages: number; readonly bytes: number } =>
  db.get<{ messages: number; bytes: number }>(queries.largeTexts, { tokens }) ?? { messages: 0, bytes: 0 }
