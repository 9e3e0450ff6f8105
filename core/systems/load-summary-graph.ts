import { ROLES, SummaryLevel } from '../contract/ids.ts'
import { type LineageOrder, lineageOrder } from '../memory/lineage-order.ts'
import type { Messages } from '../memory/messages.ts'
import { NO_POSITIONS, type PositionRanges, rangesOfPositions, unionOfRanges } from '../memory/position-ranges.ts'
import { type GraphNode, SummaryGraph } from '../memory/summary-graph.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { withoutYielding } from '../yielding.ts'
import { readingSummaryRows, type SummaryRow } from './summary-rows.ts'

const SYSTEM = ROLES.indexOf('system')
const UNKNOWN_LEVEL = SummaryLevel.options.indexOf('unknown')
/** Above this many stored range ends (80 MB) a hostile file gets hulls instead of exact ranges. */
const MAX_RANGE_ENDS = 20_000_000

/** Summaries whose messages are looked for without a pause. */
const ROWS_AT_ONCE = 100

const queries = {
  window: /* sql */ `
    SELECT message_id AS messageId, summary_id AS summaryId
    FROM context_items
    WHERE conversation_id = :conversation
    ORDER BY ordinal`,
  messagesOf: /* sql */ `SELECT message_id FROM summary_messages WHERE summary_id = :summary`,
  events: /* sql */ `
    SELECT message_id FROM event_messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  countThere: /* sql */ `
    SELECT count(*) FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
}

/** Reads the summaries of a history's conversation. Call inside a snapshot with the history. */
export function loadSummaryGraph(db: ReadDb, history: Messages): SummaryGraph {
  return withoutYielding(loadingSummaryGraph(db, history))
}

/** The same a piece of work at a time: whoever lets others have their turn sees to it that the file stays as it was. */
export function* loadingSummaryGraph(db: ReadDb, history: Messages): Generator<void, SummaryGraph> {
  const rows = yield* readingSummaryRows(db, history.conversationId)
  yield
  const indexes = new Map(rows.summaries.map((row, index) => [row.id, index]))
  for (const { summaryId, sourceId } of rows.edges) {
    for (const id of [summaryId, sourceId]) if (!indexes.has(id)) indexes.set(id, indexes.size)
  }
  const sources: number[][] = Array.from(indexes, () => [])
  const dependents: number[][] = Array.from(indexes, () => [])
  for (const { summaryId, sourceId } of rows.edges) {
    const summary = indexes.get(summaryId) ?? -1
    const source = indexes.get(sourceId) ?? -1
    dependents[source]?.push(summary)
    // A summary that is gone leads nowhere: what is below it cannot be expanded through it.
    if (summary < rows.summaries.length) sources[summary]?.push(source)
  }
  const order = lineageOrder(sources)
  yield
  const own: Reach[] = []
  for (const row of rows.summaries) {
    own.push(messagesOf(db, history, row))
    if (own.length % ROWS_AT_ONCE === 0) yield
  }
  const reached = reach(own, sources, order)
  yield
  const nodes = Array.from(indexes.keys(), (id, index): GraphNode => {
    const row = rows.summaries[index]
    const { ranges, strays } = reached[index] ?? NOTHING
    if (!row) return { ...MISSING, id }
    const level = SummaryLevel.options.indexOf(row.level as SummaryLevel)
    return {
      id,
      kind: row.kind,
      conversationId: row.conversationId,
      depth: row.depth,
      tokens: row.tokens,
      createdAtMs: row.createdAtMs,
      level: level === -1 ? UNKNOWN_LEVEL : level,
      messageEdges: own[index]?.edges ?? 0,
      directRanges: own[index]?.ranges ?? NO_POSITIONS,
      directStrays: own[index]?.strays ?? 0,
      ranges,
      strayMessages: strays,
    }
  })
  yield
  const window = db
    .all<{ messageId: number | null; summaryId: string | null }>(queries.window, {
      conversation: history.conversationId,
    })
    .map(({ messageId, summaryId }) => ({
      messageId,
      position: messageId === null ? -1 : history.positionOf(messageId),
      node: summaryId === null ? -1 : (indexes.get(summaryId) ?? -1),
    }))
  yield
  const events = eventPositions(db, history)
  return new SummaryGraph(history, { nodes, sources, dependents, order, window, events }, indexes)
}

/** They all have the role system, of which there are few. */
function eventPositions(db: ReadDb, history: Messages): number[] {
  const ids: number[] = []
  for (let position = 0; position < history.length; position += 1) {
    if (history.roleAt(position) === SYSTEM) ids.push(history.ids[position] as number)
  }
  if (ids.length === 0) return []
  return db.column<number>(queries.events, { ids: JSON.stringify(ids) }).map((id) => history.positionOf(id))
}

type Reach = { readonly ranges: PositionRanges; readonly strays: number; readonly edges: number }
const NOTHING: Reach = { ranges: NO_POSITIONS, strays: 0, edges: 0 }
const MISSING: Omit<GraphNode, 'id'> = {
  kind: 'missing',
  conversationId: null,
  depth: -1,
  tokens: 0,
  createdAtMs: null,
  level: UNKNOWN_LEVEL,
  messageEdges: 0,
  directRanges: NO_POSITIONS,
  directStrays: 0,
  ranges: NO_POSITIONS,
  strayMessages: 0,
}

/** The messages that a summary itself names. */
function messagesOf(db: ReadDb, history: Messages, row: SummaryRow): Reach {
  if (row.span === null) return NOTHING
  const { edges, lowest, highest, sum } = row.span
  const from = history.positionOf(lowest)
  const to = history.positionOf(highest)
  if (from >= 0 && to - from + 1 === edges && sumOfIds(history, from, to) === sum) {
    return { ranges: Int32Array.of(from, to + 1), strays: 0, edges }
  }
  const ids = db.column<number>(queries.messagesOf, { summary: row.id })
  const elsewhere = ids.filter((id) => history.positionOf(id) < 0)
  return {
    ranges: rangesOfPositions(ids.map((id) => history.positionOf(id)).filter((position) => position >= 0)),
    strays:
      elsewhere.length === 0 ? 0 : (db.value<number>(queries.countThere, { ids: JSON.stringify(elsewhere) }) ?? 0),
    edges,
  }
}

function sumOfIds(history: Messages, from: number, to: number): number {
  let sum = 0
  for (let position = from; position <= to; position += 1) sum += history.ids[position] as number
  return sum
}

/** What every node reaches through its sources; the nodes of a cycle reach the same. */
function reach(own: readonly Reach[], sources: readonly (readonly number[])[], order: LineageOrder): Reach[] {
  const reached: Reach[] = []
  let rangeEnds = 0
  for (let start = 0; start < order.order.length; ) {
    const component = order.component[order.order[start] as number]
    let end = start
    while (end < order.order.length && order.component[order.order[end] as number] === component) end += 1
    const first = order.order[start] as number
    const isLeaf = end === start + 1 && (sources[first] ?? []).length === 0
    if (isLeaf && rangeEnds <= MAX_RANGE_ENDS) {
      // Most of them: it reaches what it names.
      reached[first] = own[first] ?? NOTHING
      start = end
      continue
    }
    const members = Array.from(order.order.subarray(start, end))
    const below = members
      .flatMap((node) => sources[node] ?? [])
      .map((source) => reached[source] ?? NOTHING)
      .concat(members.map((node) => own[node] ?? NOTHING))
    let ranges = unionOfRanges(below.map((part) => part.ranges))
    if (!below.some((part) => part.ranges === ranges)) rangeEnds += ranges.length
    if (rangeEnds > MAX_RANGE_ENDS) ranges = hull(ranges)
    const strays = below.reduce((sum, part) => sum + part.strays, 0)
    for (const node of members) reached[node] = { ranges, strays, edges: own[node]?.edges ?? 0 }
    start = end
  }
  return reached
}

const hull = (ranges: PositionRanges): PositionRanges =>
  ranges.length <= 2 ? ranges : Int32Array.of(ranges[0] as number, ranges.at(-1) as number)
