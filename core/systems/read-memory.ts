import { Links, type StoredLinks } from '../memory/links.ts'
import { type ConversationHead, Memory, type MemoryRows } from '../memory/memory.ts'
import type { Messages } from '../memory/messages.ts'
import { unpackInto } from '../memory/packed-numbers.ts'
import { Summaries, type SummaryRow, type TimeRange } from '../memory/summaries.ts'
import { WindowEntries } from '../memory/window-entries.ts'
import type { ReadDb, SqlValue } from '../sqlite/read-db.ts'
import { readingAllMessages } from './read-messages.ts'

const queries = {
  conversations: /* sql */ `SELECT conversation_id AS id, archived_at AS archivedAtMs FROM conversations`,
  events: /* sql */ `SELECT message_id FROM event_messages`,
  /** Where a system does not store the number of source tokens, it would have to be worked out for every row. */
  summaries: (recordedTokens: 'source_token_count' | 'NULL') => /* sql */ `
    SELECT ${recordedTokens} AS recordedTokens, summary_id AS id, conversation_id AS conversationId, kind, depth,
      token_count AS tokens, descendant_count AS descendants, earliest_at AS earliestAtMs, latest_at AS latestAtMs,
      created_at AS createdAtMs, level, model, prompt_version AS promptVersion, summary_hash AS hash,
      file_ids AS fileIds
    FROM summaries
    ORDER BY summary_rowid`,
  /** What the file says itself, where the summaries are shown with something better. */
  storedRanges: /* sql */ `
    SELECT summary_id AS id, earliest_at AS earliestAtMs, latest_at AS latestAtMs FROM stored_ranges`,
  /**
   * One row a summary. Messages and ordinals come in the same order, which is not the stored one: to have SQLite sort
   * them would take twice as long.
   */
  messageLinks: /* sql */ `
    SELECT summary_id, count(*), group_concat(coalesce(message_id, '?')), group_concat(coalesce(ordinal, '?'))
    FROM summary_messages
    GROUP BY summary_id`,
  messagesOf: /* sql */ `
    SELECT message_id, ordinal FROM summary_messages WHERE summary_id IS :summary ORDER BY ordinal, message_id`,
  sourceLinks: /* sql */ `
    SELECT summary_id, source_summary_id, ordinal FROM summary_sources ORDER BY summary_id, ordinal, source_summary_id`,
  storedMessageLinks: /* sql */ `
    SELECT message_id AS "to", coalesce(ordinal, 0) AS ordinal
    FROM summary_messages
    WHERE summary_id IS :summary
    ORDER BY ordinal, message_id`,
  storedSourceLinks: /* sql */ `
    SELECT source_summary_id AS "to", coalesce(ordinal, 0) AS ordinal
    FROM summary_sources
    WHERE summary_id IS :summary
    ORDER BY ordinal, source_summary_id`,
  window: /* sql */ `
    SELECT conversation_id, ordinal, item_type = 'summary', message_id, summary_id, created_at
    FROM context_items
    ORDER BY conversation_id, ordinal`,
}

/** Rows between two pauses. */
const AT_ONCE = 4096
/** Links between two pauses, which are cheaper. */
const LINKS_AT_ONCE = 16_384

/** `readingRows`, and what follows from them. */
export function* readingMemory(db: ReadDb, recordsTokens: boolean): Generator<void, Memory> {
  return yield* Memory.of(yield* readingRows(db, recordsTokens))
}

/**
 * Reads all that a file holds but texts, in one pass, a piece of some milliseconds at a time. Call inside a snapshot.
 * @param recordsTokens whether the file stores how many tokens a summary's messages have
 */
export function* readingRows(db: ReadDb, recordsTokens: boolean): Generator<void, MemoryRows> {
  const heads = db.all<ConversationHead>(queries.conversations)
  const messages = yield* readingAllMessages(db)
  const events = new Set(db.column<number>(queries.events).map((id) => messages.positionOf(id)))
  const summaries = yield* readingSummaries(db, recordsTokens)
  const links = yield* readingLinks(db, messages, summaries)
  const window = yield* readingWindows(db, messages, summaries)
  const conversations = new Map(heads.map((head) => [head.id, head]))
  return { conversations, messages, events, summaries, links, window }
}

type StoredSummary = Omit<SummaryRow, 'index' | 'shownRange'>

function* readingSummaries(db: ReadDb, recordsTokens: boolean): Generator<void, Summaries> {
  const stored = new Map(db.all<TimeRange & { id: string }>(queries.storedRanges).map((range) => [range.id, range]))
  const rows: Omit<SummaryRow, 'index'>[] = []
  for (const row of db.iterate<StoredSummary>(queries.summaries(recordsTokens ? 'source_token_count' : 'NULL'))) {
    const range = stored.get(row.id)
    const { earliestAtMs, latestAtMs } = row
    rows.push(range ? { ...row, ...range, shownRange: { earliestAtMs, latestAtMs } } : { ...row, shownRange: null })
    if (rows.length % AT_ONCE === 0) yield
  }
  return new Summaries(rows)
}

type PackedLinks = readonly [id: string, count: number, ids: string, ordinals: string]

function* readingLinks(db: ReadDb, messages: Messages, summaries: Summaries): Generator<void, Links> {
  const links = new Links(summaries.length)
  /** Ids of summaries of which the columns cannot hold every link. */
  const odd = new Set<string>()
  let rows = 0
  for (const packed of db.iterateRaw<never>(queries.messageLinks) as Iterable<PackedLinks>) {
    const [summaryId, count] = packed
    const { ids, isNumbered } = unpackedLinks(packed) ?? linksOneByOne(db, summaryId)
    const node = summaries.nodeOf(summaryId)
    const positions = Int32Array.from(ids, (id) => messages.positionOf(id))
    positions.forEach((position, index) => {
      if (position >= 0 && node >= 0) return
      links.broken.push({ summaryId, summary: node, sourceId: `msg_${ids[index]}` })
      odd.add(summaryId)
    })
    if (node >= 0) links.setMessages(node, positions)
    if (!isNumbered) {
      links.sparse.add(node)
      odd.add(summaryId)
    }
    const before = rows
    rows += count
    if (Math.floor(rows / LINKS_AT_ONCE) !== Math.floor(before / LINKS_AT_ONCE)) yield
  }
  yield
  let place = 0
  let before: string | null = null
  for (const [summaryId, sourceId, ordinal] of db.iterateRaw<[string, string, number]>(queries.sourceLinks)) {
    const node = summaries.nodeOf(summaryId)
    const source = summaries.nodeOf(sourceId)
    place = summaryId === before ? place + 1 : 0
    before = summaryId
    if (ordinal !== place) {
      links.sparse.add(node)
      odd.add(summaryId)
    }
    if (node >= 0 && source >= 0) links.addSource(node, source)
    else {
      links.broken.push({ summaryId, summary: node, sourceId })
      odd.add(summaryId)
    }
    rows += 1
    if (rows % AT_ONCE === 0) yield
  }
  for (const summary of odd) {
    links.stored.set(summary, storedLinks(db, summary))
    if (links.stored.size % 64 === 0) yield
  }
  return links
}

const storedLinks = (db: ReadDb, summary: string): StoredLinks => ({
  messages: db.all(queries.storedMessageLinks, { summary }),
  sources: db.all(queries.storedSourceLinks, { summary }),
})

/** Messages of a summary in their stored order; `isNumbered`: their ordinals are 0, 1, 2 … */
type OrderedIds = { readonly ids: Float64Array; readonly isNumbered: boolean }

/** Null when something there is no whole number. */
function unpackedLinks([, count, packedIds, packedOrdinals]: PackedLinks): OrderedIds | null {
  const [ids, ordinals] = [new Float64Array(count), new Float64Array(count)]
  if (unpackInto(packedIds, ids, 0) !== count || unpackInto(packedOrdinals, ordinals, 0) !== count) return null
  if (ordinals.every((ordinal, index) => ordinal === index)) return { ids, isNumbered: true }
  const number = (column: Float64Array, index: number): number => column[index] as number
  const order = Uint32Array.from(ids.keys()).sort(
    (a, b) => number(ordinals, a) - number(ordinals, b) || number(ids, a) - number(ids, b),
  )
  return {
    ids: Float64Array.from(order, (index) => number(ids, index)),
    isNumbered: order.every((index, place) => ordinals[index] === place),
  }
}

function linksOneByOne(db: ReadDb, summary: string): OrderedIds {
  const rows = [...db.iterateRaw<[SqlValue, SqlValue]>(queries.messagesOf, { summary })]
  return {
    ids: Float64Array.from(rows, ([id]) => (typeof id === 'number' ? id : Number.NaN)),
    isNumbered: rows.every(([, ordinal], index) => ordinal === index),
  }
}

function* readingWindows(db: ReadDb, messages: Messages, summaries: Summaries): Generator<void, WindowEntries> {
  const window = new WindowEntries(messages.length, summaries.length)
  type Row = [
    conversation: number,
    ordinal: number,
    isSummary: number,
    messageId: number | null,
    summaryId: string | null,
    placedAtMs: number | null,
  ]
  for (const [conversation, ordinal, kind, messageId, summaryId, placedAtMs] of db.iterateRaw<Row>(queries.window)) {
    const isSummary = kind === 1
    const target = isSummary ? summaries.nodeOf(summaryId ?? '') : messages.positionOf(messageId ?? Number.NaN)
    window.add(conversation, { ordinal, messageId, summaryId, placedAtMs }, isSummary, target)
    if (window.length % AT_ONCE === 0) yield
  }
  return window
}
