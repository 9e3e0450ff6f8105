import { Summaries, type SummaryRow, type TimeRange } from '#core/memory/summaries.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

const columns = `summary_id, conversation_id, kind, depth, token_count, created_at, level, model, prompt_version,
  summary_hash, file_ids`

/** Numbers of a summary that follow from its sources, and the columns that hold them. */
const FROM_SOURCES = {
  descendants: ['descendant_count'],
  sourceTokens: ['source_token_count'],
  ranges: ['earliest_at', 'latest_at'],
} as const

export type NumberFromSources = keyof typeof FROM_SOURCES
export const NUMBERS_FROM_SOURCES = Object.keys(FROM_SOURCES) as readonly NumberFromSources[]

const selected = (asked: readonly NumberFromSources[]): string =>
  NUMBERS_FROM_SOURCES.flatMap((name) =>
    asked.includes(name) ? FROM_SOURCES[name] : FROM_SOURCES[name].map(() => 'NULL'),
  ).join(', ')

const queries = {
  all: (asked: readonly NumberFromSources[]) => /* sql */ `
    SELECT ${columns}, ${selected(asked)} FROM summaries ORDER BY summary_rowid`,
  /** Time ranges as the file stores them, where the summaries are shown with better ones. */
  storedRanges: /* sql */ `SELECT summary_id, earliest_at, latest_at FROM stored_ranges`,
  ofConversation: /* sql */ `
    SELECT ${columns}, ${selected([])}
    FROM summaries
    WHERE conversation_id = :conversation
    ORDER BY created_at, summary_rowid`,
  byId: /* sql */ `
    SELECT ${columns}, ${selected([])}
    FROM summaries
    WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
}

/** Rows as arrays, because objects from a driver take several times the memory of those that are written out here. */
type SqlRow = [
  id: string,
  conversationId: number,
  kind: string,
  depth: number,
  tokens: number,
  createdAtMs: number | null,
  level: string | null,
  model: string | null,
  promptVersion: string | null,
  hash: string | null,
  fileIds: string | null,
  descendants: number | null,
  recordedTokens: number | null,
  earliestAtMs: number | null,
  latestAtMs: number | null,
]
/** A summary that has no node yet. */
export type ReadSummary = Omit<SummaryRow, 'index'>

/** Rows between two pauses. */
const AT_ONCE = 512

/**
 * Reads all summaries of a file, as they are stored.
 * @param asked the numbers that are read. A number that a file does not store is computed by its view, row by row, which
 * takes longer than the rest of the row
 */
export function* readingSummaries(db: ReadDb, asked: readonly NumberFromSources[]): Generator<void, Summaries> {
  type Range = [id: string, earliestAtMs: number | null, latestAtMs: number | null]
  const stored = new Map(
    db.rows<Range>(queries.storedRanges).map(([id, earliestAtMs, latestAtMs]) => [id, { earliestAtMs, latestAtMs }]),
  )
  const rows: ReadSummary[] = []
  const shared = sharingTexts()
  for (const row of db.iterateRows<SqlRow>(queries.all(asked))) {
    rows.push(summaryOf(row, stored.get(row[0]), shared))
    if (rows.length % AT_ONCE === 0) yield
  }
  return new Summaries(rows)
}

/** The summaries of a conversation, oldest first, without what is stored of their sources. */
export const summariesOf = (db: ReadDb, conversation: number): ReadSummary[] =>
  db.rows<SqlRow>(queries.ofConversation, { conversation }).map((row) => summaryOf(row))

/** The summaries with some ids, read as those of a conversation are. */
export const summariesById = (db: ReadDb, ids: readonly string[]): ReadSummary[] =>
  db.rows<SqlRow>(queries.byId, { ids: JSON.stringify(ids) }).map((row) => summaryOf(row))

/** Texts that differ from each other are remembered until there are so many. */
const MOST_TEXTS = 1000

/**
 * Returns a function that gives the same text for equal texts. What the driver reads is a copy for each row, and most
 * summaries have the same model.
 */
function sharingTexts(): <T>(value: T) => T {
  const known = new Map<unknown, unknown>()
  return (value) => {
    if (known.has(value)) return known.get(value) as typeof value
    if (typeof value === 'string' && known.size < MOST_TEXTS) known.set(value, value)
    return value
  }
}

/**
 * @param stored the range that the file says itself, where the row has the one that is shown instead
 * @param shared keeps one of equal texts
 */
function summaryOf(row: SqlRow, stored?: TimeRange, shared = <T>(value: T): T => value): ReadSummary {
  const [id, conversationId, kind, depth, tokens, createdAtMs, level, model, ...more] = row
  const [promptVersion, hash, fileIds, descendants, recordedTokens, earliestAtMs, latestAtMs] = more
  return {
    id,
    conversationId,
    kind: shared(kind),
    depth,
    tokens,
    descendants,
    recordedTokens,
    earliestAtMs: stored ? stored.earliestAtMs : earliestAtMs,
    latestAtMs: stored ? stored.latestAtMs : latestAtMs,
    shownRange: stored ? { earliestAtMs, latestAtMs } : null,
    createdAtMs,
    level: shared(level),
    model: shared(model),
    promptVersion: shared(promptVersion),
    hash,
    fileIds: shared(fileIds),
  }
}
