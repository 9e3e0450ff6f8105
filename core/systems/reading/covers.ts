import type { Cover } from '#core/contract/message.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { windowsOfSummaries } from '../records/window-entries.ts'

/** A message or summary, and the conversation whose window counts for it. */
export type Covered<Id> = { readonly id: Id; readonly conversationId: number }

const queries = {
  leaves: /* sql */ `
    SELECT m.message_id AS messageId, m.summary_id AS summaryId
    FROM summary_messages AS m
    CROSS JOIN summaries AS s ON s.summary_id = m.summary_id
    WHERE m.message_id IN (SELECT value FROM json_each(:ids))
    ORDER BY m.summary_id`,
  /**
   * The edges from some summaries to those that were made from them, as far as these are there. CROSS JOIN holds SQLite to
   * the order: it would walk all edges of the file otherwise. It reads indexes only: the rows of summaries lie far apart,
   * because of their texts.
   */
  edges: /* sql */ `
    SELECT DISTINCT e.source_summary_id, s.summary_id
    FROM json_each(:ids) AS j
    CROSS JOIN summary_sources AS e ON e.source_summary_id = j.value
    CROSS JOIN summaries AS s ON s.summary_id = e.summary_id
    ORDER BY s.summary_id`,
  depths: /* sql */ `
    SELECT summary_id, depth FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
}

/** A summary on the way up. */
export type Above = Pick<Cover, 'id' | 'inWindow'>

/** The summaries that stand for each message, from the leaf upwards; those that only dangle are left out. */
export const coversOfMessages = (db: ReadDb, messages: readonly Covered<number>[]): Map<number, Cover[]> =>
  withDepths(db, summariesAboveMessages(db, messages))

/** The summaries that were made from each summary, directly or not, nearest first. */
export const coversOfSummaries = (db: ReadDb, summaries: readonly Covered<string>[]): Map<string, Cover[]> =>
  withDepths(db, summariesAboveSummaries(db, summaries))

function withDepths<Id>(db: ReadDb, above: ReadonlyMap<Id, readonly Above[]>): Map<Id, Cover[]> {
  const ids = new Set(above.values().flatMap((some) => some.map(({ id }) => id)))
  const depths = new Map(
    ids.size === 0 ? [] : db.rows<[id: string, depth: number]>(queries.depths, { ids: JSON.stringify([...ids]) }),
  )
  return new Map(
    above.entries().map(([id, some]) => [id, some.map((one) => ({ ...one, depth: depths.get(one.id) ?? 0 }))]),
  )
}

/** The same summaries as those of `coversOfMessages`, without their depths. */
export function summariesAboveMessages(db: ReadDb, messages: readonly Covered<number>[]): Map<number, Above[]> {
  const leaves = Map.groupBy(
    db.all<{ readonly messageId: number; readonly summaryId: string }>(queries.leaves, {
      ids: JSON.stringify(messages.map((m) => m.id)),
    }),
    (row) => row.messageId,
  )
  const starts = messages.map(({ id, conversationId }) => ({
    id,
    conversationId,
    from: (leaves.get(id) ?? []).map(({ summaryId }) => summaryId),
  }))
  return summariesAbove(db, starts, edgesUp(db, [...new Set(starts.flatMap(({ from }) => from))]))
}

/** The same summaries as those of `coversOfSummaries`, without their depths. */
export function summariesAboveSummaries(db: ReadDb, summaries: readonly Covered<string>[]): Map<string, Above[]> {
  const edges = edgesUp(
    db,
    summaries.map(({ id }) => id),
  )
  const dependents = Map.groupBy(edges, (edge) => edge.sourceId)
  const starts = summaries.map(({ id, conversationId }) => ({
    id,
    conversationId,
    from: (dependents.get(id) ?? []).map(({ summaryId }) => summaryId).filter((summaryId) => summaryId !== id),
  }))
  const covers = summariesAbove(db, starts, edges)
  // On a cycle a summary stands above itself.
  for (const [id, above] of covers)
    covers.set(
      id,
      above.filter((cover) => cover.id !== id),
    )
  return covers
}

type UpEdge = { readonly sourceId: string; readonly summaryId: string }
type Start<Id> = Covered<Id> & { readonly from: readonly string[] }

/**
 * Returns every edge on the way up from some summaries. It goes from level to level, so that the edges of a summary are
 * followed once, however many lead to it, and cycles end. A recursive query takes twice as long.
 */
function edgesUp(db: ReadDb, ids: readonly string[]): UpEdge[] {
  const edges: UpEdge[] = []
  const seen = new Set(ids)
  for (let level = [...seen]; level.length > 0; ) {
    const found = db.rows<[sourceId: string, summaryId: string]>(queries.edges, { ids: JSON.stringify(level) })
    level = []
    for (const [sourceId, summaryId] of found) {
      edges.push({ sourceId, summaryId })
      if (!seen.has(summaryId)) level.push(summaryId)
      seen.add(summaryId)
    }
  }
  return edges
}

/** @param edges all links on the ways up from the starts */
function summariesAbove<Id>(db: ReadDb, starts: readonly Start<Id>[], edges: readonly UpEdge[]): Map<Id, Above[]> {
  const all = new Set(starts.flatMap(({ from }) => from))
  for (const { summaryId } of edges) all.add(summaryId)
  const windows = new Set(windowsOfSummaries(db, [...all]).map((row) => `${row.conversationId} ${row.id}`))
  const dependents = Map.groupBy(edges, (edge) => edge.sourceId)
  // Neighbouring messages share their leaf, and so the whole way up.
  const ways = new Map<string, string[]>()
  return new Map(
    starts.map(({ id, conversationId, from }) => {
      const key = from.join('\n')
      const way = ways.get(key) ?? wayUp(from, dependents)
      ways.set(key, way)
      return [id, way.map((summary) => ({ id: summary, inWindow: windows.has(`${conversationId} ${summary}`) }))]
    }),
  )
}

/** Returns every summary on the ways up once, breadth-first. */
function wayUp(from: readonly string[], dependents: ReadonlyMap<string, readonly UpEdge[]>): string[] {
  const way = new Set(from)
  for (const id of way) for (const edge of dependents.get(id) ?? []) way.add(edge.summaryId)
  return [...way]
}
