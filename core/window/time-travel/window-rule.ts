import type { MemoryInfo } from '../../contract/memory.ts'
import { EVENT, type GraphNode, IN_WINDOW, type SummaryGraph } from '../../memory/summary-graph.ts'

/**
 * What summaries do to the window of the system that wrote them: each takes the place of what it was made of, or they
 * stand beside a window that holds every message.
 */
export type WindowRule = 'replacing' | 'beside'

/** By which rule windows were kept before our own log begins. In a working copy: that of the system it was copied from. */
export const windowRule = ({ system, copiedFrom }: Pick<MemoryInfo, 'system' | 'copiedFrom'>): WindowRule =>
  (copiedFrom?.system ?? system) === 'decapod' ? 'beside' : 'replacing'

/** Those of a graph that are there and belong to its conversation. */
export const ownSummaries = (graph: SummaryGraph): GraphNode[] => graph.nodes.filter((node) => isOwn(graph, node))

export const isOwn = ({ history }: SummaryGraph, node: GraphNode): boolean =>
  node.kind !== 'missing' && node.conversationId === history.conversationId

/** Whatever wrote them: summaries of a window that still holds every message, and no summary, replaced nothing. */
export const standBeside = (graph: SummaryGraph): boolean =>
  graph.history.length > 0 &&
  ownSummaries(graph).length > 0 &&
  graph.window.every((item) => item.node < 0) &&
  graph.messageStates.every((state) => state === IN_WINDOW || state === EVENT)
