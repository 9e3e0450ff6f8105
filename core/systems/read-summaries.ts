import { Summaries, type SummaryRow, type TimeRange } from '../memory/summaries.ts'
import type { ReadDb } from '../sqlite/read-db.ts'

const columns = `summary_id, conversation_id, kind, depth, token_count, descendant_count, created_at, level, model,
  prompt_version, summary_hash, file_ids`

/**
 * What is stored of the sources is asked for by scans and repairs alone. Several systems store neither, and it would have
 * to be worked out for every row.
 */
const withoutSources = 'NULL, NULL, NULL'

const queries = {
  all: (recordedTokens: 'source_token_count' | 'NULL') => /* sql */ `
    SELECT ${columns}, ${recordedTokens}, earliest_at, latest_at FROM summaries ORDER BY summary_rowid`,
  /** What the file says itself, where the summaries are shown with something better. */
  storedRanges: /* sql */ `SELECT summary_id, earliest_at, latest_at FROM stored_ranges`,
  ofConversation: /* sql */ `
    SELECT ${columns}, ${withoutSources}
    FROM summaries
    WHERE conversation_id = :conversation
    ORDER BY created_at, summary_rowid`,
  byId: /* sql */ `
    SELECT ${columns}, ${withoutSources}
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
  descendants: number,
  createdAtMs: number | null,
  level: string | null,
  model: string | null,
  promptVersion: string | null,
  hash: string | null,
  fileIds: string | null,
  recordedTokens: number | null,
  earliestAtMs: number | null,
  latestAtMs: number | null,
]
/** A summary that has no node yet. */
export type ReadSummary = Omit<SummaryRow, 'index'>

/** Rows between two pauses. */
const AT_ONCE = 512

/**
 * All summaries of a file, as they are stored.
 * @param recordsTokens whether the file stores how many tokens a summary's messages have
 */
export function* readingSummaries(db: ReadDb, recordsTokens: boolean): Generator<void, Summaries> {
  type Range = [id: string, earliestAtMs: number | null, latestAtMs: number | null]
  const stored = new Map(
    db.rows<Range>(queries.storedRanges).map(([id, earliestAtMs, latestAtMs]) => [id, { earliestAtMs, latestAtMs }]),
  )
  const rows: ReadSummary[] = []
  for (const row of db.iterateRows<SqlRow>(queries.all(recordsTokens ? 'source_token_count' : 'NULL'))) {
    rows.push(summaryOf(row, stored.get(row[0])))
    if (rows.length % AT_ONCE === 0) yield
  }
  return new Summaries(rows)
}

/** The summaries of a conversation, oldest first, without what is stored of their sources. */
export const summariesOf = (db: ReadDb, conversation: number): ReadSummary[] =>
  db.rows<SqlRow>(queries.ofConversation, { conversation }).map((row) => summaryOf(row))

/** Those of some ids that are there, read as those of a conversation are. */
export const summariesById = (db: ReadDb, ids: readonly string[]): ReadSummary[] =>
  db.rows<SqlRow>(queries.byId, { ids: JSON.stringify(ids) }).map((row) => summaryOf(row))

/** @param stored the range that the file says itself, where the row has the one that is shown instead */
function summaryOf(row: SqlRow, stored?: TimeRange): ReadSummary {
  const [id, conversationId, kind, depth, tokens, descendants, createdAtMs, level, model, ...more] = row
  const [promptVersion, hash, fileIds, recordedTokens, earliestAtMs, latestAtMs] = more
  return {
    id,
    conversationId,
    kind,
    depth,
    tokens,
    descendants,
    recordedTokens,
    earliestAtMs: stored ? stored.earliestAtMs : earliestAtMs,
    latestAtMs: stored ? stored.latestAtMs : latestAtMs,
    shownRange: stored ? { earliestAtMs, latestAtMs } : null,
    createdAtMs,
    level,
    model,
    promptVersion,
    hash,
    fileIds,
  }
}
