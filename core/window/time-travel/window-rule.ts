import { EVENT, type GraphNode, IN_WINDOW, type SummaryGraph } from '../../memory/summary-graph.ts'

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
