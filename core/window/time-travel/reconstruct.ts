import type { GraphNode, SummaryGraph } from '../../memory/summary-graph.ts'
import type { Placements } from '../placements.ts'
import { isOwn } from './window-rule.ts'

/** What is known to have been there, where no log says what the window was. */
export type Known = {
  readonly newestSeq: number
  /** Whether the summary at this index of the graph had been made. */
  readonly isMade: (node: GraphNode, index: number) => boolean
}

/**
 * The window as an agent would have kept it: every summary that had been made and from which none had been made yet, and
 * every message up to the newest that none of these stands for, in the order of the messages. Summaries on a cycle are
 * no window's top; their messages stand for themselves.
 */
export function reconstruct(graph: SummaryGraph, { newestSeq, isMade }: Known): Placements {
  const { history, nodes } = graph
  const made = Uint8Array.from(nodes, (node, index) => (isOwn(graph, node) && isMade(node, index) ? 1 : 0))
  const tops = nodes.flatMap((_, index) =>
    made[index] === 1 && !graph.dependents[index]?.some((dependent) => made[dependent] === 1) ? [index] : [],
  )
  const covered = new Uint8Array(history.length)
  const placed: { readonly position: number; readonly entry: number | string }[] = []
  for (const top of tops) {
    const { id, ranges } = nodes[top] as GraphNode
    for (let i = 0; i < ranges.length; i += 2) covered.fill(1, ranges[i], ranges[i + 1])
    placed.push({ position: ranges[0] ?? history.length, entry: id })
  }
  for (let position = 0; position < history.length && (history.seqs[position] as number) <= newestSeq; position += 1) {
    if (covered[position] === 0) placed.push({ position, entry: history.ids[position] as number })
  }
  return placed.sort((a, b) => a.position - b.position).map(({ entry }) => entry)
}
