import type { Memory } from '#core/memory/memory.ts'
import type { LoggedEvent } from './event-log.ts'
import { ownSummaries } from './window-rule.ts'

/**
 * Derives events for a file without a log: each summary was made at its creation time. They are numbered from 1 in that
 * order and belong to no run.
 */
export function deriveEvents(memory: Memory): LoggedEvent[] {
  const { summaries, links, lineage } = memory
  return ownSummaries(memory)
    .map((node) => ({ node, atMs: madeAt(memory, node) }))
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ node, atMs }, place) => ({
      eventId: place + 1,
      runId: '',
      atMs,
      pass: summaries.kindOf(node),
      summaryId: summaries.at(node).id,
      depth: summaries.at(node).depth,
      level: summaries.levelOf(node),
      removed: links.messagesOf(node).length + (lineage.sources[node]?.length ?? 0),
      sourceTokens: sourceTokens(memory, node),
      tokens: summaries.at(node).tokens,
      durationMs: 0,
      newestSeq: null,
    }))
}

/** Returns its own time, or that of the newest message that it covers. */
function madeAt({ messages, summaries, coverage }: Memory, node: number): number {
  const newest = messages.createdAtMs[(coverage.reach(node).at(-1) ?? 0) - 1] ?? Number.NaN
  return summaries.at(node).createdAtMs ?? (Number.isNaN(newest) ? 0 : newest)
}

function sourceTokens({ messages, summaries, links, lineage }: Memory, node: number): number {
  let tokens = messages.tokensIn(links.rangesOf(node))
  for (const source of lineage.sources[node] ?? []) {
    if (!lineage.isMissing(source)) tokens += summaries.at(source).tokens
  }
  return tokens
}
