import { EVENT, IN_WINDOW } from '#core/memory/coverage.ts'
import type { Memory } from '#core/memory/memory.ts'

/** Returns the nodes of the summaries that belong to the conversation. */
export const ownSummaries = (memory: Memory): number[] =>
  memory.summaries.rows.flatMap(({ index }) => (memory.isOwn(index) ? [index] : []))

/**
 * True when the window still holds every message and no summary, so that the summaries have replaced nothing, whatever
 * program wrote them.
 */
export const standBeside = (memory: Memory): boolean =>
  memory.messages.length > 0 &&
  ownSummaries(memory).length > 0 &&
  memory.window.isSummary.subarray(0, memory.window.length).every((isSummary) => isSummary === 0) &&
  memory.coverage.messageStates.every((state) => state === IN_WINDOW || state === EVENT)
