import { ROLES } from '../../contract/lists.ts'
import type { ConversationRow, ListedConversation, MemoryInfo, Overview, Stats } from '../../contract/memory.ts'
import { LcmError } from '../../errors.ts'
import type { Messages } from '../../memory/messages.ts'
import type { TokenEstimator } from '../../models/token-estimator.ts'
import { measureFile } from '../../sqlite/memory-file.ts'
import { EXCERPT_BYTES, opening, openingExcerpt } from '../../sqlite/opening.ts'
import type { ReadDb, SqlParams } from '../../sqlite/read-db.ts'
import { readSnapshot } from '../../sqlite/read-snapshot.ts'
import { HistoryIndex } from '../../systems/history-index.ts'
import { isNative } from '../../systems/native/native.ts'
import { prunedByRun, readPruned } from '../../systems/pruned-outputs.ts'
import { type AssemblySettings, NO_WINDOW, type WindowSize } from '../../window/window-size.ts'
import { WindowSizes } from '../../window/window-sizes.ts'
import { ConversationSizes, type Size } from './conversation-sizes.ts'
import type { Where } from './size-queries.ts'

const LARGEST_MESSAGES = 10

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

  summaries: (where: Where) => /* sql */ `
    SELECT conversation_id AS conversationId, count(*) AS summaries, max(depth) AS maxDepth, max(created_at) AS lastAtMs
    FROM summaries ${where}
    GROUP BY conversation_id`,

  /** When a conversation was last compacted or changed by hand. */
  changes: (where: Where) => /* sql */ `
    SELECT conversation_id, max(coalesce(finished_at, started_at)) FROM compaction_runs ${where} GROUP BY conversation_id
    UNION ALL
    SELECT conversation_id, max(at) FROM surgery_events ${where} GROUP BY conversation_id`,

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
    SELECT message_id FROM messages
    WHERE conversation_id = :conversationId
    ORDER BY token_count DESC, seq
    LIMIT ${LARGEST_MESSAGES}`,

  excerpts: /* sql */ `
    SELECT
      'msg_' || m.message_id AS id,
      m.role AS role,
      CAST(m.token_count AS INTEGER) AS tokens,
      m.seq AS seq,
      ${opening('m.content')} AS excerpt
    FROM messages AS m
    WHERE m.message_id IN (SELECT value FROM json_each(:ids))
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

type Summaries = {
  readonly conversationId: number
  readonly summaries: number
  readonly maxDepth: number
  readonly lastAtMs: number | null
}
type Figures = Pick<
  ConversationRow,
  'contextItems' | 'activeTokens' | 'contextTokens' | 'leftOutItems' | 'leftOutTokens' | 'pressure'
>
const UNMEASURED = { activeTokens: null, contextTokens: null, leftOutItems: null, leftOutTokens: null, pressure: null }
type Facts = Identity & Pick<ConversationRow, 'summaries' | 'maxDepth'>

const NOTHING: Size = { messages: 0, storedTokens: 0, window: NO_WINDOW }

/** Entries of windows that are measured while somebody waits for the list. */
const ENTRIES_AT_ONCE = 20_000

/** Files of these are small, or keep the tokens of messages in an index. */
const areSizesAtHand = (info: MemoryInfo): boolean => isNative(info) || info.access === 'memory_image'

/**
 * Counts and sizes of a memory: of the file, of each conversation, of one conversation in detail. Every figure is that
 * of the file at the moment of asking, by a handful of queries over sets, none a conversation or a message; only
 * `listed` may know less, or know it from a moment before.
 */
export class MemoryStats {
  readonly #db: ReadDb
  readonly #info: MemoryInfo
  readonly #settings: AssemblySettings
  readonly #histories: HistoryIndex
  readonly #sizes: ConversationSizes
  readonly #areAtHand: boolean

  /** @param settings under which windows are put together; pressure is measured against its budget */
  constructor(
    db: ReadDb,
    info: MemoryInfo,
    settings: AssemblySettings,
    estimator: TokenEstimator,
    histories: HistoryIndex = new HistoryIndex(db),
    areAtHand: boolean = areSizesAtHand(info),
  ) {
    this.#db = db
    this.#info = info
    this.#settings = settings
    this.#histories = histories
    this.#sizes = new ConversationSizes(db, histories, new WindowSizes(db, estimator, settings))
    this.#areAtHand = areAtHand
  }

  stats(): Stats {
    return readSnapshot(this.#db, () => this.#stats())
  }

  /** In the order of their ids. `storedTokens` is all that was ever said, `contextTokens` what goes to the model now. */
  conversations(): ConversationRow[] {
    return readSnapshot(this.#db, () => this.#rows(''))
  }

  /** The same without reading over the texts of a large file: tokens are null until `measure` has read them. */
  listed(): ListedConversation[] {
    if (this.#isAtHand()) return this.conversations()
    return readSnapshot(this.#db, () => {
      const sizes = this.#sizes.listed()
      return this.#facts('').map((facts) => {
        const size = sizes.get(facts.conversationId) ?? { ...NOTHING, contextItems: 0 }
        const { messages, contextItems, storedTokens, window } = size
        return { ...facts, messages, storedTokens, ...(window ? this.#figures(window) : UNMEASURED), contextItems }
      })
    })
  }

  /**
   * Makes the sizes of `listed` those of the file as it is now, without keeping others waiting. Returns whether they
   * were not.
   */
  async measure(): Promise<boolean> {
    return this.#isAtHand() ? false : this.#sizes.read()
  }

  #isAtHand(): boolean {
    return this.#areAtHand && this.#sizes.entries() <= ENTRIES_AT_ONCE
  }

  #figures({ items, activeTokens, fittingTokens, leftOutItems, leftOutTokens }: WindowSize): Figures {
    const pressure = fittingTokens / this.#settings.budgetTokens
    return { contextItems: items, activeTokens, contextTokens: fittingTokens, leftOutItems, leftOutTokens, pressure }
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
      budgetTokens: this.#settings.budgetTokens,
      roles: this.#roles(conversationId),
      depths: this.#db.all(queries.depthsOf, of),
      largestMessages: this.#db
        .all<Overview['largestMessages'][number]>(queries.excerpts, {
          ids: JSON.stringify(this.#largest(conversationId)),
          bytes: EXCERPT_BYTES,
        })
        .map((message) => ({ ...message, excerpt: openingExcerpt(message.excerpt) })),
      runs: this.#runs(conversationId),
    }
  }

  #runs(conversationId: number): Overview['runs'] {
    const pruned = prunedByRun(readPruned(this.#db, conversationId))
    return this.#db.all<Overview['runs'][number]>(queries.runs, { conversationId }).map((run) => {
      const taken = pruned.get(run.runId)
      return taken ? { ...run, pruned: taken } : run
    })
  }

  /** The history's columns where they are at hand and say what the file says: then no text is read over. */
  #plainHistory(conversationId: number): Messages | null {
    const history = this.#histories.known(conversationId)
    return history?.isPlain ? history : null
  }

  #roles(conversationId: number): Overview['roles'] {
    const history = this.#plainHistory(conversationId)
    if (!history) return this.#db.all(queries.roles, { conversationId })
    const roles = ROLES.map((key) => ({ key, count: 0, tokens: 0, sourceTokens: null }))
    for (let position = 0; position < history.length; position += 1) {
      const role = roles[history.roleAt(position)]
      if (!role) continue
      role.count += 1
      role.tokens += history.tokensAt(position)
    }
    return roles.filter((role) => role.count > 0).sort((a, b) => b.tokens - a.tokens || (a.key < b.key ? -1 : 1))
  }

  #largest(conversationId: number): number[] {
    const history = this.#plainHistory(conversationId)
    if (!history) return this.#db.column(queries.largest, { conversationId })
    const positions: number[] = []
    let least = -1
    for (let position = 0; position < history.length; position += 1) {
      if (history.tokensAt(position) <= least) continue
      positions.push(position)
      positions.sort((a, b) => history.tokensAt(b) - history.tokensAt(a) || a - b)
      positions.length = Math.min(positions.length, LARGEST_MESSAGES)
      if (positions.length === LARGEST_MESSAGES) least = history.tokensAt(positions[LARGEST_MESSAGES - 1] as number)
    }
    return positions.map((position) => history.ids[position] as number)
  }

  #rows(where: Where, params: SqlParams = {}): ConversationRow[] {
    const sizes = this.#sizes.exact(where, params)
    return this.#facts(where, params).map((facts) => {
      const { messages, storedTokens, window } = sizes.get(facts.conversationId) ?? NOTHING
      return { ...facts, messages, storedTokens, ...this.#figures(window) }
    })
  }

  #facts(where: Where, params: SqlParams = {}): Facts[] {
    const rows = this.#db.all<Summaries>(queries.summaries(where), params)
    const summaries = new Map(rows.map((row) => [row.conversationId, row]))
    const changes = [...this.#db.iterateRaw<[number, number | null]>(queries.changes(where), params)]
    const changedAt = Map.groupBy(changes, ([conversationId]) => conversationId)
    return this.#db.all<Identity>(queries.conversations(where), params).map((conversation) => {
      const { conversationId, updatedAtMs } = conversation
      const of = summaries.get(conversationId)
      const times = [
        updatedAtMs,
        of?.lastAtMs ?? null,
        ...(changedAt.get(conversationId) ?? []).map(([, atMs]) => atMs),
      ]
      const known = times.filter((atMs) => atMs !== null)
      return {
        ...conversation,
        updatedAtMs: known.length === 0 ? null : Math.max(...known),
        summaries: of?.summaries ?? 0,
        maxDepth: of?.maxDepth ?? -1,
      }
    })
  }
}
