import { ROLES } from '#core/contract/lists.ts'
import { Memory, type MemoryRows } from '#core/memory/memory.ts'
import type { Messages } from '#core/memory/messages.ts'
import { Summaries } from '#core/memory/summaries.ts'
import type { WindowEntries } from '#core/memory/window-entries.ts'
import type { ReadDb, SqlParams } from '#core/sqlite/read-db.ts'
import { readingLinksOf, type SourceLink } from './read-links.ts'
import { readHead } from './read-memory.ts'
import { type ReadSummary, summariesById, summariesOf } from './read-summaries.ts'
import { followingWindow, readingWindow } from './read-window-entries.ts'

const counting = (table: string) => ({
  stored: /* sql */ `SELECT count(*) FROM main.${table}`,
  shown: /* sql */ `SELECT count(*) FROM ${table}`,
})

const link = 'e.summary_id, e.source_summary_id, coalesce(e.ordinal, 0)'

const queries = {
  tables: /* sql */ `SELECT name FROM main.sqlite_schema WHERE type = 'table'`,
  newestState: /* sql */ `
    SELECT (SELECT max(summary_rowid) FROM summaries), (SELECT max(surgery_id) FROM surgery_events)`,
  /** SQLite counts the rows of a table from its pages, and those of a view one by one. */
  counts: {
    summaries: counting('summaries'),
    summary_messages: counting('summary_messages'),
    summary_sources: counting('summary_sources'),
  },
  linksInFile: /* sql */ `SELECT count(*) FROM summary_sources`,
  allLinks: /* sql */ `SELECT ${link} FROM summary_sources AS e`,
  linksFromConversation: /* sql */ `
    SELECT ${link}
    FROM summary_sources AS e
    JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE s.conversation_id = :conversation`,
  linksIntoConversation: /* sql */ `
    SELECT ${link}
    FROM summary_sources AS e
    JOIN summaries AS s ON s.summary_id = e.source_summary_id
    LEFT JOIN summaries AS d ON d.summary_id = e.summary_id
    WHERE s.conversation_id = :conversation AND d.conversation_id IS NOT :conversation`,
  linksOfSummaries: /* sql */ `
    SELECT ${link}
    FROM summary_sources AS e
    WHERE e.summary_id IN (SELECT value FROM json_each(:ids))
    UNION ALL
    SELECT ${link}
    FROM summary_sources AS e
    WHERE e.source_summary_id IN (SELECT value FROM json_each(:ids))
      AND e.summary_id NOT IN (SELECT value FROM json_each(:ids))`,
  events: /* sql */ `
    SELECT message_id FROM event_messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
}

/** Links that are read at a time for each summary that is asked for, before asking for its own is quicker. */
const LINKS_PER_SUMMARY = 8

const SYSTEM = ROLES.indexOf('system')

/**
 * Reads what rests on the messages of a conversation, a piece of work at a time. Call inside a snapshot with the messages;
 * whoever lets others have their turn between two pieces sees to it that the file stays as it was.
 * @param before what was read when the conversation had these messages or the first of them. Where its summaries and links
 * are still the same, they are taken over with everything that was worked out from them
 */
export function* readingConversation(
  db: ReadDb,
  messages: Messages,
  before: Memory | null = null,
): Generator<void, Memory> {
  const joined = yield* readingJoined(db, messages.conversationId)
  const summaries = new Summaries(joined.summaries)
  yield
  const links = yield* readingLinksOf(db, messages, summaries, joined.links)
  if (before && summaries.isSameAs(before.summaries) && links.isSameAs(before.links)) {
    return before.grown(yield* readingRest(db, messages, before.summaries))
  }
  return new Memory({ ...(yield* readingRest(db, messages, summaries)), summaries, links })
}

/**
 * Does the same where messages were appended and `lineageState` is what it was: summaries and links are not read again,
 * and what was worked out from them still holds. Null when a link may lead to one of the new messages.
 */
export function* followingConversation(db: ReadDb, messages: Messages, before: Memory): Generator<void, Memory | null> {
  if (before.links.broken.length > 0) return null
  return before.grown(yield* readingRest(db, messages, before.summaries, before.window))
}

/**
 * Returns a text that differs when summaries or links of the file came or went, or this program changed them. It does not
 * differ when another program changed rows in their place.
 */
export function lineageState(db: ReadDb): string {
  const stored = new Set(db.column<string>(queries.tables))
  const counts = Object.entries(queries.counts).map(([table, sql]) =>
    db.value<number>(stored.has(table) ? sql.stored : sql.shown),
  )
  return [...counts, ...db.rows<number[]>(queries.newestState)].join()
}

/** @param before the window of the same summaries and of the first of the messages, when its entries need not be read again */
function* readingRest(
  db: ReadDb,
  messages: Messages,
  summaries: Summaries,
  before: WindowEntries | null = null,
): Generator<void, Omit<MemoryRows, 'summaries' | 'links'>> {
  const followed = before && (yield* followingWindow(db, messages, summaries, before))
  const window = followed ?? (yield* readingWindow(db, messages, summaries))
  yield
  const events = eventPositions(db, messages)
  return { conversations: readHead(db, messages.conversationId), messages, events, window }
}

type Lineage = { readonly summaries: readonly ReadSummary[]; readonly links: readonly SourceLink[] }

/** The summaries of a conversation, then those of others that are joined to them by sources. Sound files have none. */
function* readingJoined(db: ReadDb, conversationId: number): Generator<void, Lineage> {
  const conversation: SqlParams = { conversation: conversationId }
  const summaries = summariesOf(db, conversationId)
  const asked = new Set(summaries.map((row) => row.id))
  yield
  const found = linksOf(db, conversation, asked)
  for (;;) {
    yield
    const unknown = new Set<string>()
    for (const [summary, source] of found) for (const id of [summary, source]) if (!asked.has(id)) unknown.add(id)
    if (unknown.size === 0) break
    summaries.push(...summariesById(db, [...unknown]))
    for (const link of db.rows<[string, string, number]>(queries.linksOfSummaries, {
      ids: JSON.stringify(unknown),
    })) {
      // Links of those that were asked for before are there already.
      if (!asked.has(link[0]) && !asked.has(link[1])) found.push(link)
    }
    for (const id of unknown) asked.add(id)
  }
  return { summaries, links: inOrder(found) }
}

/** Every link with one of the conversation's summaries at an end. */
function linksOf(db: ReadDb, conversation: SqlParams, own: ReadonlySet<string>): SourceLink[] {
  const inFile = db.value<number>(queries.linksInFile) ?? 0
  if (inFile > own.size * LINKS_PER_SUMMARY) {
    return [queries.linksFromConversation, queries.linksIntoConversation].flatMap((sql) =>
      db.rows<[string, string, number]>(sql, conversation),
    )
  }
  return db
    .rows<[string, string, number]>(queries.allLinks)
    .filter(([summary, source]) => own.has(summary) || own.has(source))
}

/** Orders links by ordinal, then by ids, as the reading of a whole file does. */
function inOrder(found: readonly SourceLink[]): SourceLink[] {
  if (!found.every(([, , ordinal]) => Number.isFinite(ordinal))) return found.toSorted(byOrdinalAndIds)
  // Ordinals are few, and links of one ordinal mostly come in their order: comparing all of them would take ten times as
  // long.
  const byOrdinal = [...Map.groupBy(found, ([, , ordinal]) => ordinal)].sort(([a], [b]) => a - b)
  return byOrdinal.flatMap(([, links]) => (areInOrder(links) ? links : links.sort(byIds)))
}

const byIds = (a: SourceLink, b: SourceLink): number => compare(a[0], b[0]) || compare(a[1], b[1])
const byOrdinalAndIds = (a: SourceLink, b: SourceLink): number => a[2] - b[2] || byIds(a, b)

const areInOrder = (links: readonly SourceLink[]): boolean =>
  links.every((link, index) => index === 0 || byIds(links[index - 1] as SourceLink, link) <= 0)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Asks only for messages with the role system: they are few, and event messages are among them. */
function eventPositions(db: ReadDb, messages: Messages): ReadonlySet<number> {
  const ids: number[] = []
  for (let position = 0; position < messages.length; position += 1) {
    if (messages.roleAt(position) === SYSTEM) ids.push(messages.ids[position] as number)
  }
  if (ids.length === 0) return new Set()
  const found = db.column<number>(queries.events, { ids: JSON.stringify(ids) })
  return new Set(found.map((id) => messages.positionOf(id)))
}
