import { Summaries, type SummaryRow, type TimeRange } from '../memory/summaries.ts'
import type { ReadDb } from '../sqlite/read-db.ts'

const columns = `summary_id AS id, conversation_id AS conversationId, kind, depth, token_count AS tokens,
  descendant_count AS descendants, created_at AS createdAtMs, level, model, prompt_version AS promptVersion,
  summary_hash AS hash, file_ids AS fileIds`

const times = 'earliest_at AS earliestAtMs, latest_at AS latestAtMs'

/**
 * What is stored of the sources is asked for by scans and repairs alone. Several systems store neither, and it would have
 * to be worked out for every row.
 */
const withoutSources = 'NULL AS recordedTokens, NULL AS earliestAtMs, NULL AS latestAtMs'

const queries = {
  all: (recordedTokens: 'source_token_count' | 'NULL') => /* sql */ `
    SELECT ${columns}, ${recordedTokens} AS recordedTokens, ${times} FROM summaries ORDER BY summary_rowid`,
  /** What the file says itself, where the summaries are shown with something better. */
  storedRanges: /* sql */ `SELECT summary_id AS id, ${times} FROM stored_ranges`,
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

type StoredSummary = Omit<SummaryRow, 'index' | 'shownRange'>
/** A summary that has no node yet. */
export type ReadSummary = Omit<SummaryRow, 'index'>

/** Rows between two pauses. */
const AT_ONCE = 4096

/**
 * All summaries of a file, as they are stored.
 * @param recordsTokens whether the file stores how many tokens a summary's messages have
 */
export function* readingSummaries(db: ReadDb, recordsTokens: boolean): Generator<void, Summaries> {
  const stored = new Map(db.all<TimeRange & { id: string }>(queries.storedRanges).map((range) => [range.id, range]))
  const rows: ReadSummary[] = []
  for (const row of db.iterate<StoredSummary>(queries.all(recordsTokens ? 'source_token_count' : 'NULL'))) {
    const range = stored.get(row.id)
    const { earliestAtMs, latestAtMs } = row
    rows.push(range ? { ...row, ...range, shownRange: { earliestAtMs, latestAtMs } } : { ...row, shownRange: null })
    if (rows.length % AT_ONCE === 0) yield
  }
  return new Summaries(rows)
}

/** The summaries of a conversation, oldest first, without what is stored of their sources. */
export const summariesOf = (db: ReadDb, conversation: number): ReadSummary[] =>
  db.all<StoredSummary>(queries.ofConversation, { conversation }).map(withoutRange)

/** Those of some ids that are there, read as those of a conversation are. */
export const summariesById = (db: ReadDb, ids: readonly string[]): ReadSummary[] =>
  db.all<StoredSummary>(queries.byId, { ids: JSON.stringify(ids) }).map(withoutRange)

const withoutRange = (row: StoredSummary): ReadSummary => ({ ...row, shownRange: null })
