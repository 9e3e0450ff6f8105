import { Links, type MessageElsewhere, type StoredLinks } from '#core/memory/links.ts'
import type { Messages } from '#core/memory/messages.ts'
import { unpackInto } from '#core/memory/packed-numbers.ts'
import type { Summaries } from '#core/memory/summaries.ts'
import type { ReadDb, SqlValue } from '#core/sqlite/read-db.ts'

/**
 * Columns of one row for each summary. Messages and ordinals come in one order, which is not the stored one: to have
 * SQLite sort them would take twice as long.
 */
const packed = "summary_id, count(*), group_concat(coalesce(message_id, '?')), group_concat(coalesce(ordinal, '?'))"

/**
 * Columns that show whether the messages of a summary are a run: numbers that follow each other, with ordinals from 0 on.
 * They cost what the packed row costs, and no text has to be taken apart.
 */
const run = `summary_id AS summaryId, count(*) AS count, min(message_id) AS lowest, max(message_id) AS highest,
  total(message_id) AS sum, min(message_id - ordinal) AS firstAtLeast, max(message_id - ordinal) AS firstAtMost`

const listed = 'summary_id IN (SELECT value FROM json_each(:ids))'

const queries = {
  messageLinks: /* sql */ `SELECT ${packed} FROM summary_messages GROUP BY summary_id`,
  messageLinksOf: /* sql */ `SELECT ${packed} FROM summary_messages WHERE ${listed} GROUP BY summary_id`,
  runsOf: /* sql */ `SELECT ${run} FROM summary_messages WHERE ${listed} GROUP BY summary_id`,
  /** Is a quarter quicker than a list of ids, and also reads links of summaries that were not asked for. */
  runsBetween: /* sql */ `
    SELECT ${run}
    FROM summary_messages
    WHERE summary_id COLLATE BINARY BETWEEN :first AND :last
    GROUP BY summary_id`,
  sourceLinksInFile: /* sql */ `SELECT count(*) FROM summary_sources`,
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
  elsewhere: /* sql */ `
    SELECT message_id AS messageId, conversation_id AS conversationId, seq, token_count AS tokens
    FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids))`,
}

/** Links between two pauses. */
const LINKS_AT_ONCE = 8192
/** Links to sources between two pauses, each of which is a row. */
const ROWS_AT_ONCE = 4096
/** Summaries whose messages are read without a pause: some milliseconds where each has a few dozen. */
const SUMMARIES_AT_ONCE = 400

/** All links of a file. */
export function* readingLinks(db: ReadDb, messages: Messages, summaries: Summaries): Generator<void, Links> {
  const reader = new LinkReader(db, messages, summaries)
  let read = 0
  for (const row of db.iterateRows<PackedLinks>(queries.messageLinks)) {
    reader.addMessages(reader.named(row), NOWHERE)
    const before = read
    read += row[1]
    if (Math.floor(read / LINKS_AT_ONCE) !== Math.floor(before / LINKS_AT_ONCE)) yield
  }
  yield
  let rows = 0
  for (const link of db.iterateRows<SourceLink>(queries.sourceLinks)) {
    reader.addSource(link)
    rows += 1
    if (rows % ROWS_AT_ONCE === 0) yield
  }
  const { links } = reader
  for (const summary of reader.odd) {
    links.stored.set(summary, storedLinks(db, summary))
    if (links.stored.size % 64 === 0) yield
  }
  return links
}

/** A link from a summary to one of its sources, as stored. Either end may be missing from the file. */
export type SourceLink = readonly [summaryId: string, sourceId: string, ordinal: number]

/**
 * The links of some summaries, where the messages of one conversation were read. No statement stays open over a pause.
 * @param sourceLinks in the order of their ordinals
 */
export function* readingLinksOf(
  db: ReadDb,
  messages: Messages,
  summaries: Summaries,
  sourceLinks: readonly SourceLink[],
): Generator<void, Links> {
  const reader = new LinkReader(db, messages, summaries)
  const ids = summaries.rows.map(({ id }) => id).sort()
  // How many summaries there are would have to be counted by looking through their rows.
  const areMost =
    2 * sourceLinks.length > (db.value<number>(queries.sourceLinksInFile) ?? 0) && !ORDERED_OTHERWISE.test(ids.join())
  for (let first = 0; first < ids.length; first += SUMMARIES_AT_ONCE) {
    const runsRead = readRuns(db, ids.slice(first, first + SUMMARIES_AT_ONCE), areMost)
    yield
    const others = runsRead.flatMap((run) => (reader.addRun(run) ? [] : run.summaryId))
    if (others.length === 0) continue
    const named = readPacked(db, others).map((row) => reader.named(row))
    yield
    const elsewhere = messagesElsewhere(db, named)
    for (const one of named) reader.addMessages(one, elsewhere)
    yield
  }
  for (const link of sourceLinks) reader.addSource(link)
  return reader.links
}

/** Characters that JavaScript sorts otherwise than SQLite does: by UTF-16, not by UTF-8. */
const ORDERED_OTHERWISE = /[\ud800-\uffff]/

class LinkReader {
  readonly links: Links
  /** Ids of summaries of which the columns cannot hold every link. */
  readonly odd = new Set<string>()
  readonly #db: ReadDb
  readonly #messages: Messages
  readonly #summaries: Summaries
  /** How many links to sources each summary has so far, by its id. */
  readonly #places = new Map<string, number>()

  constructor(db: ReadDb, messages: Messages, summaries: Summaries) {
    this.#db = db
    this.#messages = messages
    this.#summaries = summaries
    this.links = new Links(summaries.length)
  }

  /** False when it is no run of messages that were read: then its links are to be added one by one. */
  addRun({ summaryId, count, lowest, highest, sum, firstAtLeast, firstAtMost }: Run): boolean {
    const node = this.#summaries.nodeOf(summaryId)
    // The summary belongs to another conversation.
    if (node < 0) return true
    const from = this.#messages.positionOf(lowest)
    if (from < 0 || highest - lowest !== count - 1 || ((lowest + highest) * count) / 2 !== sum) return false
    if (firstAtLeast !== lowest || firstAtMost !== lowest) return false
    const positions = new Int32Array(count)
    for (let place = 0; place < count; place += 1) {
      if (this.#messages.ids[from + place] !== lowest + place) return false
      positions[place] = from + place
    }
    this.links.setMessages(node, positions)
    return true
  }

  named(row: PackedLinks): NamedMessages {
    const [summaryId] = row
    const ordered = unpackedLinks(row) ?? linksOneByOne(this.#db, summaryId)
    const positions = new Int32Array(ordered.ids.length)
    let isWhole = true
    for (let place = 0; place < positions.length; place += 1) {
      const position = this.#messages.positionOf(ordered.ids[place] as number)
      positions[place] = position
      if (position < 0) isWhole = false
    }
    return { ...ordered, summaryId, positions, isWhole }
  }

  /** Call once for each summary. */
  addMessages(
    { summaryId, ids, isNumbered, positions, isWhole }: NamedMessages,
    elsewhere: ReadonlyMap<number, MessageElsewhere>,
  ): void {
    const summary = this.#summaries.nodeOf(summaryId)
    if (summary >= 0) this.links.setMessages(summary, positions)
    if (!isNumbered) this.#addSparse(summaryId, summary)
    if (isWhole && summary >= 0) return
    this.odd.add(summaryId)
    positions.forEach((position, place) => {
      if (position >= 0 && summary >= 0) return
      const id = ids[place] as number
      const end = { kind: 'message' as const, sourceId: `msg_${id}`, elsewhere: elsewhere.get(id) ?? null }
      this.links.broken.push({ summaryId, summary, place, ...end })
    })
  }

  /** Call for the sources of a summary in their order. */
  addSource([summaryId, sourceId, ordinal]: SourceLink): void {
    const summary = this.#summaries.nodeOf(summaryId)
    const source = this.#summaries.nodeOf(sourceId)
    const place = this.#places.get(summaryId) ?? 0
    this.#places.set(summaryId, place + 1)
    if (ordinal !== place) this.#addSparse(summaryId, summary)
    if (summary >= 0 && source >= 0) this.links.addSource(summary, source)
    else {
      this.links.broken.push({ summaryId, summary, kind: 'summary', sourceId, place, elsewhere: null })
      this.odd.add(summaryId)
    }
  }

  #addSparse(summaryId: string, summary: number): void {
    this.links.sparse.add(summary)
    this.odd.add(summaryId)
  }
}

/** Used for a whole file, where a message that was not read is in no conversation. */
const NOWHERE: ReadonlyMap<number, MessageElsewhere> = new Map()

/** @param areMost whether most summaries of the file are asked for */
function readRuns(db: ReadDb, ids: readonly string[], areMost: boolean): Run[] {
  return areMost
    ? db.all<Run>(queries.runsBetween, { first: ids[0] ?? '', last: ids.at(-1) ?? '' })
    : db.all<Run>(queries.runsOf, { ids: JSON.stringify(ids) })
}

const readPacked = (db: ReadDb, ids: readonly string[]): PackedLinks[] =>
  db.rows<PackedLinks>(queries.messageLinksOf, { ids: JSON.stringify(ids) })

/** `firstAtLeast`, `firstAtMost`: the numbers that the message at ordinal 0 would have by each link. */
type Run = {
  readonly summaryId: string
  readonly count: number
  readonly lowest: number
  readonly highest: number
  readonly sum: number
  readonly firstAtLeast: number
  readonly firstAtMost: number
}

type PackedLinks = readonly [summaryId: string, count: number, ids: string, ordinals: string]

/** Returns the messages that some summaries name and that were not read, by number. */
function messagesElsewhere(db: ReadDb, named: readonly NamedMessages[]): ReadonlyMap<number, MessageElsewhere> {
  const ids = named.flatMap(({ ids: all, positions, isWhole }) =>
    isWhole ? [] : Array.from(all).filter((_, place) => (positions[place] as number) < 0),
  )
  if (ids.length === 0) return NOWHERE
  const found = db.all<MessageElsewhere>(queries.elsewhere, { ids: JSON.stringify(ids) })
  return new Map(found.map((message) => [message.messageId, message]))
}

const storedLinks = (db: ReadDb, summary: string): StoredLinks => ({
  messages: db.all(queries.storedMessageLinks, { summary }),
  sources: db.all(queries.storedSourceLinks, { summary }),
})

/** Messages of a summary in their stored order; `isNumbered`: their ordinals are 0, 1, 2 … */
type OrderedIds = { readonly ids: Float64Array; readonly isNumbered: boolean }

type NamedMessages = OrderedIds & {
  readonly summaryId: string
  /** −1 for those that were not read. */
  readonly positions: Int32Array
  readonly isWhole: boolean
}

/** Returns null when a value is no whole number. */
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
  const rows = db.rows<[SqlValue, SqlValue]>(queries.messagesOf, { summary })
  return {
    ids: Float64Array.from(rows, ([id]) => (typeof id === 'number' ? id : Number.NaN)),
    isNumbered: rows.every(([, ordinal], index) => ordinal === index),
  }
}
