import type { Memory } from '../memory/memory.ts'
import { positionCount } from '../memory/position-ranges.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/memory-reader.ts'
import { conversationOf } from '../systems/node-id.ts'
import type { WindowItem } from './window.ts'

/** Which messages a summary stands for: how many, and the sequence numbers of the first and the last. */
type CoveredMessages = { readonly messages: number; readonly firstSeq: number; readonly lastSeq: number }

/** By the id of a summary in a window; one that reaches no message is absent. */
export type CoverageOfEntries = ReadonlyMap<string, CoveredMessages>

/** What each summary among the entries of a window stands for. Call inside a snapshot. */
export function coverageOfEntries(
  db: ReadDb,
  histories: MemoryReader,
  conversationId: number,
  items: readonly WindowItem[],
): CoverageOfEntries {
  const found = new Map<string, CoveredMessages>()
  for (const { summaryId } of items) {
    if (summaryId === null || found.has(summaryId)) continue
    const memory = memoryWith(db, histories, conversationId, summaryId)
    const covered = memory && coveredBy(memory, memory.summaries.nodeOf(summaryId))
    if (covered) found.set(summaryId, covered)
  }
  return found
}

/** The window of a damaged file may show a summary of another conversation. */
function memoryWith(db: ReadDb, histories: MemoryReader, conversationId: number, summaryId: string): Memory | null {
  const memory = histories.memory(conversationId)
  if (memory.summaries.nodeOf(summaryId) >= 0) return memory
  const home = conversationOf(db, summaryId)
  return home === null ? null : histories.memory(home)
}

function coveredBy({ links, coverage }: Memory, node: number): CoveredMessages | null {
  if (node < 0) return null
  const range = coverage.seqRange(node)
  const messages = positionCount(coverage.reach(node))
  if (coverage.outside(node) === 0) return range && { messages, ...range }
  const elsewhere = links.messagesElsewhere(links.withSources([node]))
  const seqs = elsewhere.map(({ seq }) => seq)
  if (range) seqs.push(range.firstSeq, range.lastSeq)
  if (seqs.length === 0) return null
  return { messages: messages + elsewhere.length, firstSeq: Math.min(...seqs), lastSeq: Math.max(...seqs) }
}
