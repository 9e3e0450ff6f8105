import { shownValue } from '../sqlite/native-values.ts'
import type { ReadDb, SqlParams } from '../sqlite/read-db.ts'

/** Which messages a summary names as its sources, in a nutshell. */
type MessageSpan = {
  readonly edges: number
  readonly lowest: number
  readonly highest: number
  readonly sum: number
}

/** A summary without its text. `span`: null when it names no messages. */
export type SummaryRow = {
  readonly id: string
  readonly conversationId: number
  readonly kind: 'leaf' | 'condensed'
  readonly depth: number
  readonly tokens: number
  readonly createdAtMs: number | null
  readonly level: string | null
  readonly span: MessageSpan | null
}

/** From a summary to one of its sources; either end may be missing from the file. */
type SourceEdge = { readonly summaryId: string; readonly sourceId: string; readonly ordinal: number }

export type SummaryRows = { readonly summaries: readonly SummaryRow[]; readonly edges: readonly SourceEdge[] }

const summary = /* sql */ `
  SELECT
    s.summary_id AS id,
    s.conversation_id AS conversationId,
    ${shownValue('summaries.kind', 's')} AS kind,
    s.depth,
    s.token_count AS tokens,
    s.created_at AS createdAtMs,
    s.level
  FROM summaries AS s`
// One aggregate a summary instead of one row a message: 200,000 rows would cost ten times as much.
const span = 'count(*) AS edges, min(message_id) AS lowest, max(message_id) AS highest, total(message_id) AS sum'
const edge = /* sql */ `
  SELECT e.summary_id AS summaryId, e.source_summary_id AS sourceId, e.ordinal
  FROM summary_sources AS e`

const queries = {
  ofConversation: /* sql */ `${summary}
    WHERE s.conversation_id = :conversation
    ORDER BY s.created_at, s.summary_rowid`,
  byId: /* sql */ `${summary}
    WHERE s.summary_id IN (SELECT value FROM json_each(:ids))`,
  spans: /* sql */ `
    SELECT summary_id AS id, ${span}
    FROM summary_messages
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
    GROUP BY summary_id`,
  edgesInFile: /* sql */ `SELECT count(*) FROM summary_sources`,
  allEdges: /* sql */ `${edge}`,
  edgesFromConversation: /* sql */ `${edge}
    JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE s.conversation_id = :conversation`,
  edgesIntoConversation: /* sql */ `${edge}
    JOIN summaries AS s ON s.summary_id = e.source_summary_id
    LEFT JOIN summaries AS d ON d.summary_id = e.summary_id
    WHERE s.conversation_id = :conversation AND d.conversation_id IS NOT :conversation`,
  edgesOfSummaries: /* sql */ `${edge}
    WHERE e.summary_id IN (SELECT value FROM json_each(:ids))
    UNION ALL
    ${edge}
    WHERE e.source_summary_id IN (SELECT value FROM json_each(:ids))
      AND e.summary_id NOT IN (SELECT value FROM json_each(:ids))`,
}

/** Summaries whose messages are added up without a pause: some milliseconds where each has a few dozen. */
const SPANS_AT_ONCE = 400

/** Edges that are read at a time for each summary that is asked for, before asking for its own is quicker. */
const EDGES_PER_SUMMARY = 8

/**
 * The summaries of a conversation, and those of other conversations that are joined to them by sources (which happens
 * in files that lost track of a session), a piece of work at a time. Sound files need few queries.
 */
export function* readingSummaryRows(db: ReadDb, conversationId: number): Generator<void, SummaryRows> {
  const conversation: SqlParams = { conversation: conversationId }
  const bare = db.all<Bare>(queries.ofConversation, conversation)
  yield
  const summaries = yield* withSpans(db, bare)
  const asked = new Set(summaries.map((row) => row.id))
  const edges = edgesOf(db, conversation, asked)
  for (;;) {
    yield
    const unknown = [...new Set(edges.flatMap((row) => [row.summaryId, row.sourceId]))].filter((id) => !asked.has(id))
    if (unknown.length === 0) return { summaries, edges: distinct(edges) }
    const ids: SqlParams = { ids: JSON.stringify(unknown) }
    summaries.push(...(yield* withSpans(db, db.all<Bare>(queries.byId, ids))))
    edges.push(...db.all<SourceEdge>(queries.edgesOfSummaries, ids))
    for (const id of unknown) asked.add(id)
  }
}

type Bare = Omit<SummaryRow, 'span'>

function* withSpans(db: ReadDb, rows: readonly Bare[]): Generator<void, SummaryRow[]> {
  const whole: SummaryRow[] = []
  for (let first = 0; first < rows.length; first += SPANS_AT_ONCE) {
    const some = rows.slice(first, first + SPANS_AT_ONCE)
    const ids = JSON.stringify(some.map((row) => row.id))
    const spans = new Map(db.all<MessageSpan & { id: string }>(queries.spans, { ids }).map((row) => [row.id, row]))
    for (const row of some) whole.push({ ...row, span: spans.get(row.id) ?? null })
    yield
  }
  return whole
}

/** Every edge with one of the conversation's summaries at an end. */
function edgesOf(db: ReadDb, conversation: SqlParams, own: ReadonlySet<string>): SourceEdge[] {
  const inFile = db.value<number>(queries.edgesInFile) ?? 0
  if (inFile > own.size * EDGES_PER_SUMMARY) {
    return [queries.edgesFromConversation, queries.edgesIntoConversation].flatMap((sql) =>
      db.all<SourceEdge>(sql, conversation),
    )
  }
  return db.all<SourceEdge>(queries.allEdges).filter((row) => own.has(row.summaryId) || own.has(row.sourceId))
}

/** In the order of their summary's list of sources; an edge that is stored twice counts once. */
function distinct(edges: readonly SourceEdge[]): SourceEdge[] {
  const byEnds = new Map(edges.map((edge) => [`${edge.summaryId}\n${edge.sourceId}`, edge]))
  return [...byEnds.values()].sort((a, b) => a.ordinal - b.ordinal)
}
