import { type Link, Links } from './links.ts'
import { Memory, type MemoryRows } from './memory.ts'
import { type DraftSummary, Summaries } from './summaries.ts'
import { type StoredEntry, WindowEntries } from './window-entries.ts'

/** The rows of a draft that make up its memory. */
type DraftedRows = {
  readonly summaries: ReadonlyMap<string, DraftSummary>
  readonly conversationIds: readonly number[]
  messageLinks(id: string): readonly Link<number>[]
  sourceLinks(id: string): readonly Link<string>[]
  window(conversationId: number): readonly StoredEntry[]
}

/**
 * Builds the memory of a draft over the messages of the file.
 * @param keptPositions returns the positions of the messages that a summary names, if its links were not changed
 */
export function draftedMemory(
  draft: DraftedRows,
  { conversations, messages, events, links: stored }: MemoryRows,
  keptPositions: (id: string) => Int32Array | null,
): Memory {
  const summaries = new Summaries(
    Array.from(draft.summaries.values(), ({ sourceTokens, ...row }) => ({
      ...row,
      depth: row.depth ?? 0,
      tokens: row.tokens ?? 0,
      descendants: row.descendants ?? 0,
      recordedTokens: sourceTokens,
      shownRange: null,
    })),
  )
  const links = new Links(summaries.length)
  const addLinks = (summaryId: string, summary: number): void => {
    const broken = { summaryId, summary, elsewhere: null }
    const positions =
      keptPositions(summaryId) ?? Int32Array.from(draft.messageLinks(summaryId), ({ to }) => messages.positionOf(to))
    if (summary >= 0) links.setMessages(summary, positions)
    positions.forEach((position, place) => {
      if (position >= 0 && summary >= 0) return
      const sourceId = `msg_${draft.messageLinks(summaryId)[place]?.to}`
      links.broken.push({ ...broken, kind: 'message', sourceId, place })
    })
    draft.sourceLinks(summaryId).forEach(({ to }, place) => {
      const source = summaries.nodeOf(to)
      if (summary >= 0 && source >= 0) links.addSource(summary, source)
      else links.broken.push({ ...broken, kind: 'summary', sourceId: to, place })
    })
  }
  for (const { id, index } of summaries.rows) addLinks(id, index)
  for (const owner of stored.stored.keys()) if (summaries.nodeOf(owner) < 0) addLinks(owner, -1)

  const window = new WindowEntries(messages.length, summaries.length)
  for (const conversation of draft.conversationIds) {
    for (const entry of draft.window(conversation)) {
      const isSummary = entry.messageId === null
      const target = isSummary ? summaries.nodeOf(entry.summaryId ?? '') : messages.positionOf(entry.messageId ?? 0)
      window.add(conversation, entry, isSummary, target)
    }
  }
  return new Memory({ conversations, messages, events, summaries, links, window })
}
