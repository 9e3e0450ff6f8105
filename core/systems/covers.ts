import type { Cover } from '../contract/message.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { windowsOfSummaries } from './records/window-entries.ts'

/** A message or summary, and the conversation whose window counts for it. */
export type Covered<Id> = { readonly id: Id; readonly conversationId: number }

const queries = {
  leaves: /* sql */ `
    SELECT m.message_id AS messageId, m.summary_id AS summaryId, s.depth AS depth
    FROM summary_messages AS m
    CROSS JOIN summaries AS s ON s.summary_id = m.summary_id
    WHERE m.message_id IN (SELECT value FROM json_each(:ids))
    ORDER BY m.summary_id`,
  /**
   * Every edge on the way up from some summaries, through summaries that are there. UNION ends on cycles. CROSS JOIN
   * holds SQLite to the order: it would walk all edges of the file otherwise.
   */
  edgesUp: /* sql */ `
    WITH RECURSIVE up (summary_id) AS (
      SELECT s.summary_id FROM json_each(:ids) AS j JOIN summaries AS s ON s.summary_id = j.value
      UNION
      SELECT s.summary_id
      FROM up
      JOIN summary_sources AS e ON e.source_summary_id = up.summary_id
      JOIN summaries AS s ON s.summary_id = e.summary_id
    )
    SELECT e.source_summary_id AS sourceId, e.summary_id AS summaryId, s.depth AS depth
    FROM up
    CROSS JOIN summary_sources AS e ON e.source_summary_id = up.summary_id
    CROSS JOIN summaries AS s ON s.summary_id = e.summary_id
    ORDER BY e.summary_id`,
}

/** The summaries that stand for each message, from the leaf upwards; those that only dangle are left out. */
export function coversOfMessages(db: ReadDb, messages: readonly Covered<number>[]): Map<number, Cover[]> {
  const leaves = groupBy(
    db.all<Placed & { readonly messageId: number }>(queries.leaves, {
      ids: JSON.stringify(messages.map((m) => m.id)),
    }),
    (row) => row.messageId,
  )
  const starts = messages.map(({ id, conversationId }) => ({
    id,
    conversationId,
    from: leaves.get(id) ?? [],
  }))
  return coversAbove(db, starts)
}

/** The summaries that were made from each summary, directly or not, nearest first. */
export function coversOfSummaries(db: ReadDb, summaries: readonly Covered<string>[]): Map<string, Cover[]> {
  const ids = JSON.stringify(summaries.map((summary) => summary.id))
  const dependents = groupBy(db.all<UpEdge>(queries.edgesUp, { ids }), (row) => row.sourceId)
  const starts = summaries.map(({ id, conversationId }) => ({
    id,
    conversationId,
    from: (dependents.get(id) ?? []).filter(({ summaryId }) => summaryId !== id),
  }))
  const covers = coversAbove(db, starts)
  // On a cycle a summary stands above itself.
  for (const [id, above] of covers)
    covers.set(
      id,
      above.filter((cover) => cover.id !== id),
    )
  return covers
}

type Placed = { readonly summaryId: string; readonly depth: number }
type UpEdge = Placed & { readonly sourceId: string }
type Start<Id> = Covered<Id> & { readonly from: readonly Placed[] }

function coversAbove<Id>(db: ReadDb, starts: readonly Start<Id>[]): Map<Id, Cover[]> {
  const roots = starts.flatMap((start) => start.from)
  const depths = new Map(roots.map(({ summaryId, depth }) => [summaryId, depth]))
  const edges = depths.size === 0 ? [] : db.all<UpEdge>(queries.edgesUp, { ids: JSON.stringify([...depths.keys()]) })
  for (const { summaryId, depth } of edges) depths.set(summaryId, depth)
  const ids = [...depths.keys()]
  const windows = new Set(windowsOfSummaries(db, ids).map((row) => `${row.conversationId} ${row.id}`))
  const dependents = groupBy(edges, (edge) => edge.sourceId)
  // Neighbouring messages share their leaf, and so the whole way up.
  const ways = new Map<string, string[]>()
  return new Map(
    starts.map(({ id, conversationId, from }) => {
      const nearest = from.map(({ summaryId }) => summaryId)
      const key = nearest.join('\n')
      const way = ways.get(key) ?? wayUp(nearest, dependents)
      ways.set(key, way)
      const covers = way.map((summary): Cover => {
        const inWindow = windows.has(`${conversationId} ${summary}`)
        return { id: summary, depth: depths.get(summary) ?? 0, inWindow }
      })
      return [id, covers]
    }),
  )
}

/** Breadth-first, each summary once. */
function wayUp(from: readonly string[], dependents: ReadonlyMap<string, readonly UpEdge[]>): string[] {
  const way = new Set(from)
  for (const id of way) for (const edge of dependents.get(id) ?? []) way.add(edge.summaryId)
  return [...way]
}

function groupBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}
