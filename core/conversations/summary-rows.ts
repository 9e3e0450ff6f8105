import type { ReadDb, SqlParams } from '../db/read-db.ts'

/** A summary without its text, and in a nutshell which messages it names as its sources. */
export type SummaryRow = {
  readonly id: string
  readonly conversationId: number
  readonly kind: 'leaf' | 'condensed'
  readonly depth: number
  readonly tokens: number
  readonly createdAtMs: number | null
  readonly level: string | null
  /** `count,lowest,highest,total` of the message numbers; null when it names none. */
  readonly messageSpan: string | null
}

/** From a summary to one of its sources; either end may be missing from the file. */
export type SourceEdge = { readonly summaryId: string; readonly sourceId: string; readonly ordinal: number }

export type SummaryRows = { readonly summaries: readonly SummaryRow[]; readonly edges: readonly SourceEdge[] }

// One aggregate a summary instead of one row a message: 200,000 rows would cost ten times as much.
const summary = /* sql */ `
  SELECT
    s.summary_id AS id,
    s.conversation_id AS conversationId,
    s.kind,
    s.depth,
    s.token_count AS tokens,
    s.created_at AS createdAtMs,
    s.level,
    (SELECT nullif(count(*), 0) || ',' || min(m.message_id) || ',' || max(m.message_id) || ',' || total(m.message_id)
      FROM summary_messages AS m WHERE m.summary_id = s.summary_id) AS messageSpan
  FROM summaries AS s`
const edge = /* sql */ `
  SELECT e.summary_id AS summaryId, e.source_summary_id AS sourceId, e.ordinal
  FROM summary_sources AS e`

const queries = {
  ofConversation: /* sql */ `${summary}
    WHERE s.conversation_id = :conversation
    ORDER BY s.created_at, s.summary_rowid`,
  byId: /* sql */ `${summary}
    WHERE s.summary_id IN (SELECT value FROM json_each(:ids))`,
  edgesOfConversation: /* sql */ `${edge}
    JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE s.conversation_id = :conversation
    UNION ALL
    ${edge}
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

/**
 * The summaries of a conversation, and those of other conversations that are joined to them by sources (which happens
 * in files that lost track of a session). Sound files need two queries.
 */
export function readSummaryRows(db: ReadDb, conversationId: number): SummaryRows {
  const conversation: SqlParams = { conversation: conversationId }
  const summaries = db.all<SummaryRow>(queries.ofConversation, conversation)
  const edges = db.all<SourceEdge>(queries.edgesOfConversation, conversation)
  const asked = new Set(summaries.map((row) => row.id))
  for (;;) {
    const unknown = [...new Set(edges.flatMap((row) => [row.summaryId, row.sourceId]))].filter((id) => !asked.has(id))
    if (unknown.length === 0) return { summaries, edges: distinct(edges) }
    const ids: SqlParams = { ids: JSON.stringify(unknown) }
    summaries.push(...db.all<SummaryRow>(queries.byId, ids))
    edges.push(...db.all<SourceEdge>(queries.edgesOfSummaries, ids))
    for (const id of unknown) asked.add(id)
  }
}

/** In the order of their summary's list of sources; an edge that is stored twice counts once. */
function distinct(edges: readonly SourceEdge[]): SourceEdge[] {
  const byEnds = new Map(edges.map((edge) => [`${edge.summaryId}\n${edge.sourceId}`, edge]))
  return [...byEnds.values()].sort((a, b) => a.ordinal - b.ordinal)
}
