import type { LineageGraph } from '../contract/lineage.ts'
import { IN_WINDOW } from '../memory/coverage.ts'
import type { Memory } from '../memory/memory.ts'

/**
 * Returns all summaries of a conversation and the links between them. Summaries of other conversations that are linked
 * with them are among the nodes, and so are ids that a link names and that are not in the file. O(n log n).
 */
export function lineageGraph(memory: Memory): LineageGraph {
  const { summaries, lineage, coverage } = memory
  const reached = new Set<number>()
  for (const { index } of summaries.rows) {
    if (!memory.isOwn(index)) continue
    reached.add(index)
    for (const node of lineage.sources[index] ?? []) reached.add(node)
    for (const node of lineage.dependents[index] ?? []) reached.add(node)
  }
  const rows = [...reached].map((node) => nodeRow(memory, node)).sort(byHistory)
  const places = new Map(rows.map(({ node }, place) => [node, place]))
  const links = rows.flatMap(({ node }, from) =>
    (lineage.sources[node] ?? []).flatMap((source) => {
      const to = places.get(source)
      return to === undefined ? [] : [{ from, to, isCycle: isOnOneCycle(memory, node, source) }]
    }),
  )
  return {
    nodes: {
      id: rows.map(({ id }) => id),
      depth: rows.map(({ depth }) => depth),
      tokens: rows.map(({ tokens }) => tokens),
      messages: rows.map(({ node }) => (lineage.isMissing(node) ? 0 : coverage.messageCount(node))),
      firstSeq: rows.map(({ firstSeq }) => firstSeq),
      lastSeq: rows.map(({ lastSeq }) => lastSeq),
      inWindow: rows.map(({ node }) => (coverage.nodeStates[node] === IN_WINDOW ? 1 : 0)),
    },
    links: {
      from: links.map(({ from }) => from),
      to: links.map(({ to }) => to),
      isCycle: links.map(({ isCycle }) => (isCycle ? 1 : 0)),
    },
  }
}

type NodeRow = {
  readonly node: number
  readonly id: string
  /** −1 for an id that is not in the file. */
  readonly depth: number
  readonly tokens: number
  readonly firstSeq: number | null
  readonly lastSeq: number | null
}

function nodeRow({ summaries, lineage, coverage }: Memory, node: number): NodeRow {
  if (lineage.isMissing(node))
    return { node, id: lineage.idOf(node), depth: -1, tokens: 0, firstSeq: null, lastSeq: null }
  const { depth, tokens } = summaries.at(node)
  const { firstSeq = null, lastSeq = null } = coverage.seqRange(node) ?? {}
  return { node, id: lineage.idOf(node), depth, tokens, firstSeq, lastSeq }
}

/** In the order of what they cover. Summaries that cover nothing come last. */
const byHistory = (a: NodeRow, b: NodeRow): number =>
  (a.firstSeq ?? Number.MAX_SAFE_INTEGER) - (b.firstSeq ?? Number.MAX_SAFE_INTEGER) ||
  (a.lastSeq ?? 0) - (b.lastSeq ?? 0) ||
  a.depth - b.depth ||
  (a.id < b.id ? -1 : 1)

/** Whether a summary and one of its sources reach each other. */
function isOnOneCycle({ lineage, order }: Memory, node: number, source: number): boolean {
  if (lineage.isMissing(node) || lineage.isMissing(source)) return false
  return node === source || order.component[node] === order.component[source]
}
