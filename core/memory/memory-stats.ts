import { excerptOf } from '../context/excerpt.ts'
import type { ConversationRow, MemoryInfo, Overview, Stats } from '../contract/memory.ts'
import { measureFile } from '../db/memory-file.ts'
import type { ReadDb, SqlParams } from '../db/read-db.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import { LcmError } from '../errors.ts'

const LARGEST_MESSAGES = 10
/** Of a message's beginning, for its excerpt: enough even when most of it is white space. */
const EXCERPT_SOURCE_CHARS = 2000

/** Of every conversation, or of the one that `:conversationId` names. */
type Where = '' | 'WHERE conversation_id = :conversationId'

/** Tells apart, as far as numbers can, which messages there are. */
const numbers = "total(message_id) || ' ' || min(message_id) || ' ' || max(message_id) AS numbers"

const queries = {
  totals: /* sql */ `
    SELECT
      (SELECT count(*) FROM conversations) AS conversations,
      (SELECT count(*) FROM messages) AS messages,
      (SELECT count(*) FROM message_parts) AS messageParts,
      (SELECT count(*) FROM summaries) AS summaries,
      (SELECT count(*) FROM summary_messages) AS summaryMessages,
      (SELECT count(*) FROM summary_sources) AS summaryParents,
      (SELECT count(*) FROM context_items) AS contextItems,
      (SELECT count(*) FROM large_files) AS largeFiles`,

  depths: /* sql */ `
    SELECT depth AS depth, count(*) AS count FROM summaries GROUP BY depth ORDER BY depth`,

  conversations: (where: Where) => /* sql */ `
    SELECT
      conversation_id AS conversationId,
      session_id AS sessionId,
      title AS title,
      parent_conversation_id AS parentConversationId,
      archived_at AS archivedAtMs,
      created_at AS createdAtMs,
      updated_at AS updatedAtMs,
      (SELECT i.note FROM internal_conversations AS i WHERE i.conversation_id = conversations.conversation_id) AS internal
    FROM conversations ${where}
    ORDER BY conversation_id`,

  stored: (where: Where) => /* sql */ `
    SELECT conversation_id AS conversationId, count(*) AS messages, CAST(total(token_count) AS INTEGER) AS tokens,
      ${numbers}
    FROM messages ${where}
    GROUP BY conversation_id`,

  summaries: (where: Where) => /* sql */ `
    SELECT conversation_id AS conversationId, count(*) AS summaries, max(depth) AS maxDepth
    FROM summaries ${where}
    GROUP BY conversation_id`,

  windows: (where: Where) => /* sql */ `
    SELECT conversation_id AS conversationId, count(*) AS items, count(message_id) AS messages,
      ${numbers}
    FROM context_items ${where}
    GROUP BY conversation_id`,

  // The window is joined before it is grouped: it is small where a memory is compacted, messages never are.
  windowTokens: /* sql */ `
    SELECT c.conversation_id AS conversationId, CAST(total(coalesce(m.token_count, s.token_count)) AS INTEGER) AS tokens
    FROM (
      SELECT conversation_id, message_id, summary_id FROM context_items
      WHERE conversation_id IN (SELECT value FROM json_each(:ids))
    ) AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
    GROUP BY c.conversation_id`,

  roles: /* sql */ `
    SELECT role AS key, count(*) AS count, CAST(total(token_count) AS INTEGER) AS tokens, NULL AS sourceTokens
    FROM messages WHERE conversation_id = :conversationId
    GROUP BY role ORDER BY tokens DESC, role`,

  depthsOf: /* sql */ `
    SELECT
      CAST(depth AS TEXT) AS key,
      count(*) AS count,
      CAST(total(token_count) AS INTEGER) AS tokens,
      CAST(total(source_token_count) AS INTEGER) AS sourceTokens
    FROM summaries WHERE conversation_id = :conversationId
    GROUP BY depth ORDER BY depth`,

  largest: /* sql */ `
    WITH largest AS (
      SELECT message_id FROM messages WHERE conversation_id = :conversationId
      ORDER BY token_count DESC, seq LIMIT ${LARGEST_MESSAGES}
    )
    SELECT
      'msg_' || m.message_id AS id,
      m.role AS role,
      CAST(m.token_count AS INTEGER) AS tokens,
      m.seq AS seq,
      substr(m.content, 1, ${EXCERPT_SOURCE_CHARS}) AS excerpt
    FROM largest JOIN messages AS m USING (message_id)
    ORDER BY m.token_count DESC, m.seq`,

  runs: /* sql */ `
    SELECT
      r.run_id AS runId,
      r.started_at AS atMs,
      r.reason AS reason,
      r.tokens_before AS tokensBefore,
      r.tokens_after AS tokensAfter,
      (SELECT count(*) FROM compaction_events AS e WHERE e.run_id = r.run_id) AS created,
      r.stop_reason AS stopReason
    FROM compaction_runs AS r
    WHERE r.conversation_id = :conversationId
    ORDER BY r.started_at DESC, r.run_id`,
}

type Identity = Pick<
  ConversationRow,
  | 'conversationId'
  | 'sessionId'
  | 'title'
  | 'parentConversationId'
  | 'archivedAtMs'
  | 'createdAtMs'
  | 'updatedAtMs'
  | 'internal'
>
type Totals = Pick<
  Stats,
  'conversations' | 'messages' | 'messageParts' | 'summaries' | 'contextItems' | 'largeFiles'
> & { readonly summaryMessages: number; readonly summaryParents: number }

/**
 * Counts and sizes of a memory: of the file, of each conversation, of one conversation in detail. Every figure comes
 * from the file at the moment of asking, by a handful of queries over sets, none a conversation or a message.
 */
export class MemoryStats {
  readonly #db: ReadDb
  readonly #info: MemoryInfo
  readonly #budgetTokens: number

  /** `budgetTokens` is what pressure is measured against. */
  constructor(db: ReadDb, info: MemoryInfo, budgetTokens: number) {
    this.#db = db
    this.#info = info
    this.#budgetTokens = budgetTokens
  }

  stats(): Stats {
    return readSnapshot(this.#db, () => this.#stats())
  }

  /** In the order of their ids. `storedTokens` is all that was ever said, `contextTokens` what the model sees now. */
  conversations(): ConversationRow[] {
    return readSnapshot(this.#db, () => this.#rows(''))
  }

  /** @throws LcmError not_found */
  overview(conversationId: number): Overview {
    return readSnapshot(this.#db, () => this.#overview(conversationId))
  }

  #stats(): Stats {
    const totals = this.#db.get<Totals>(queries.totals)
    if (!totals) throw new Error('a query without a table gives one row')
    const { summaryMessages, summaryParents, ...counts } = totals
    const depths = this.#db.all<{ depth: number; count: number }>(queries.depths)
    return {
      path: this.#info.path,
      system: this.#info.system,
      systemVersion: this.#info.systemVersion,
      readOnly: this.#info.readOnly,
      bytes: measureFile(this.#info.path).bytes,
      ...counts,
      summariesByDepth: Object.fromEntries(depths.map(({ depth, count }) => [String(depth), count])),
      edges: { summaryMessages, summaryParents },
      perConversation: this.#rows(''),
    }
  }

  #overview(conversationId: number): Overview {
    const of = { conversationId }
    const [conversation] = this.#rows('WHERE conversation_id = :conversationId', of)
    if (!conversation) {
      throw new LcmError('not_found', `There is no conversation ${conversationId} in ${this.#info.path}.`, {
        conversationId,
      })
    }
    return {
      conversation,
      budgetTokens: this.#budgetTokens,
      roles: this.#db.all(queries.roles, of),
      depths: this.#db.all(queries.depthsOf, of),
      largestMessages: this.#db
        .all<Overview['largestMessages'][number]>(queries.largest, of)
        .map((message) => ({ ...message, excerpt: excerptOf(message.excerpt) })),
      runs: this.#db.all(queries.runs, of),
    }
  }

  #rows(where: Where, params: SqlParams = {}): ConversationRow[] {
    const by = <T>(sql: string): Map<number, T> =>
      new Map(this.#db.all<T & { conversationId: number }>(sql, params).map((row) => [row.conversationId, row]))
    const stored = by<Stored>(queries.stored(where))
    const summaries = by<{ summaries: number; maxDepth: number }>(queries.summaries(where))
    const windows = by<Window>(queries.windows(where))
    const windowTokens = this.#windowTokens(windows, stored)
    return this.#db.all<Identity>(queries.conversations(where), params).map((conversation) => {
      const id = conversation.conversationId
      const contextTokens = windowTokens.get(id) ?? 0
      return {
        ...conversation,
        messages: stored.get(id)?.messages ?? 0,
        summaries: summaries.get(id)?.summaries ?? 0,
        maxDepth: summaries.get(id)?.maxDepth ?? -1,
        contextItems: windows.get(id)?.items ?? 0,
        storedTokens: stored.get(id)?.tokens ?? 0,
        contextTokens,
        pressure: contextTokens / this.#budgetTokens,
      }
    })
  }

  /** A window of all messages holds what is stored: where nothing was compacted no message has to be looked up. */
  #windowTokens(windows: ReadonlyMap<number, Window>, stored: ReadonlyMap<number, Stored>): Map<number, number> {
    const [whole, others]: [number[], number[]] = [[], []]
    for (const [id, { items, messages, numbers }] of windows) {
      const there = stored.get(id)
      const isWhole = items === messages && messages === there?.messages && numbers === there.numbers
      const list = isWhole ? whole : others
      list.push(id)
    }
    const tokens = this.#db.iterateRaw<[number, number]>(queries.windowTokens, { ids: JSON.stringify(others) })
    return new Map([...tokens, ...whole.map((id): [number, number] => [id, stored.get(id)?.tokens ?? 0])])
  }
}

type Stored = { readonly messages: number; readonly tokens: number; readonly numbers: string | null }
type Window = { readonly items: number; readonly messages: number; readonly numbers: string | null }
