import { SummaryLevel } from '../../contract/ids.ts'
import type { GraphNode, SummaryGraph } from '../../memory/summary-graph.ts'
import type { LoggedEvent } from './event-log.ts'
import { isOwn } from './window-rule.ts'

/**
 * What must have happened in a file without a log: each summary was made when it says so. Numbered from 1 in that order;
 * they belong to no run.
 */
export function deriveEvents(graph: SummaryGraph): LoggedEvent[] {
  return graph.nodes
    .flatMap((node, index) => (isOwn(graph, node) ? [{ node, index, atMs: madeAt(graph, node) }] : []))
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ node, index, atMs }, place) => ({
      eventId: place + 1,
      runId: '',
      atMs,
      pass: node.kind === 'leaf' ? 'leaf' : 'condensed',
      summaryId: node.id,
      depth: node.depth,
      level: SummaryLevel.options[node.level] ?? 'unknown',
      removed: node.messageEdges + (graph.sources[index]?.length ?? 0),
      sourceTokens: sourceTokens(graph, node, index),
      tokens: node.tokens,
      durationMs: 0,
      newestSeq: null,
    }))
}

/** Its own time, else that of the newest message that it covers. */
function madeAt({ history }: SummaryGraph, node: GraphNode): number {
  const newest = history.createdAtMs[(node.ranges.at(-1) ?? 0) - 1] ?? Number.NaN
  return node.createdAtMs ?? (Number.isNaN(newest) ? 0 : newest)
}

function sourceTokens(graph: SummaryGraph, node: GraphNode, index: number): number {
  const { tokensBefore } = graph.history
  let tokens = 0
  for (let i = 0; i < node.directRanges.length; i += 2) {
    const [from, to] = [node.directRanges[i] as number, node.directRanges[i + 1] as number]
    tokens += (tokensBefore[to] as number) - (tokensBefore[from] as number)
  }
  for (const source of graph.sources[index] ?? []) tokens += graph.nodes[source]?.tokens ?? 0
  return tokens
}
