import { positionCount } from '../memory/position-ranges.ts'
import type { SummaryGraph } from '../memory/summary-graph.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { HistoryIndex } from '../systems/history-index.ts'
import { conversationOf } from '../systems/node-id.ts'
import { seqsOf, strayMessages } from '../systems/stray-messages.ts'
import type { WindowItem } from './window.ts'

/** Which messages a summary stands for: how many, and the sequence numbers of the first and the last. */
type CoveredMessages = { readonly messages: number; readonly firstSeq: number; readonly lastSeq: number }

/** By the id of a summary in a window; one that reaches no message is absent. */
export type CoverageOfEntries = ReadonlyMap<string, CoveredMessages>

/** What each summary among the entries of a window stands for. Call inside a snapshot. */
export function coverageOfEntries(
  db: ReadDb,
  histories: HistoryIndex,
  conversationId: number,
  items: readonly WindowItem[],
): CoverageOfEntries {
  const found = new Map<string, CoveredMessages>()
  for (const { summaryId } of items) {
    if (summaryId === null || found.has(summaryId)) continue
    const graph = graphWith(db, histories, conversationId, summaryId)
    const covered = graph && coveredBy(db, graph, graph.indexOf(summaryId))
    if (covered) found.set(summaryId, covered)
  }
  return found
}

/** The window of a damaged file may show a summary of another conversation. */
function graphWith(
  db: ReadDb,
  histories: HistoryIndex,
  conversationId: number,
  summaryId: string,
): SummaryGraph | null {
  const graph = histories.graph(conversationId)
  if (graph.indexOf(summaryId) >= 0) return graph
  const home = conversationOf(db, summaryId)
  return home === null ? null : histories.graph(home)
}

function coveredBy(db: ReadDb, graph: SummaryGraph, index: number): CoveredMessages | null {
  const node = graph.nodes[index]
  if (!node || node.kind === 'missing') return null
  const span = graph.seqSpan(node)
  const messages = positionCount(node.ranges)
  if (node.strayMessages === 0) return span && { messages, ...span }
  const strays = strayMessages(db, graph, nodesBeneath(graph, index))
  const seqs = seqsOf(db, strays)
  if (span) seqs.push(span.firstSeq, span.lastSeq)
  if (seqs.length === 0) return null
  return { messages: messages + strays.length, firstSeq: Math.min(...seqs), lastSeq: Math.max(...seqs) }
}

/** The indexes of a summary and of all summaries that it reaches through its sources. */
function nodesBeneath({ sources }: { readonly sources: SummaryGraph['sources'] }, index: number): number[] {
  const beneath = new Set([index])
  for (const node of beneath) for (const source of sources[node] ?? []) beneath.add(source)
  return [...beneath]
}
