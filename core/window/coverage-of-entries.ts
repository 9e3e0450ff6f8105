import type { Memory } from '../memory/memory.ts'
import { positionCount } from '../memory/position-ranges.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { conversationOf } from '../systems/reading/node-id.ts'
import { SUMMARY, type Window } from './window.ts'

/** The messages that a summary covers: their number, and the sequence numbers of the first and the last. */
type CoveredMessages = { readonly messages: number; readonly firstSeq: number; readonly lastSeq: number }

/** By the id of a summary in a window. A summary that covers no message is absent. */
export type CoverageOfEntries = ReadonlyMap<string, CoveredMessages>

/** Returns what each summary among the entries of a window covers. Call it inside a snapshot. */
export function coverageOfEntries(db: ReadDb, reader: MemoryReader, window: Window): CoverageOfEntries {
  const found = new Map<string, CoveredMessages>()
  const { kinds, length } = window.columns
  for (let index = 0; index < length; index += 1) {
    const summaryId = kinds[index] === SUMMARY ? window.idAt(index) : null
    if (summaryId === null || found.has(summaryId)) continue
    const memory = memoryWith(db, reader, window.memory, summaryId)
    const covered = memory && coveredBy(memory, memory.summaries.nodeOf(summaryId))
    if (covered) found.set(summaryId, covered)
  }
  return found
}

/** The window of a damaged file may show a summary of another conversation. */
function memoryWith(db: ReadDb, reader: MemoryReader, memory: Memory, summaryId: string): Memory | null {
  if (memory.summaries.nodeOf(summaryId) >= 0) return memory
  const home = conversationOf(db, summaryId)
  return home === null ? null : reader.memory(home)
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
