import type { CompactionEvent, CompactionMark, Timeline } from '#core/contract/time-travel.ts'

/** Returns the compactions, oldest first. Events of one run at one position are one compaction. */
export function compactionMarks({ events, isExact }: Pick<Timeline, 'events' | 'isExact'>): CompactionMark[] {
  const marks: CompactionMark[] = []
  let last: CompactionEvent | undefined
  for (const event of events) {
    const isSameRun = last !== undefined && last.messages === event.messages && last.runId === event.runId
    const before = isSameRun ? marks.pop() : undefined
    marks.push({
      position: Math.max(0, event.messages - 1),
      atMs: event.atMs,
      isExact,
      summaries: (before?.summaries ?? 0) + 1,
      summaryId: event.summaryId,
      activeTokens: event.activeTokens,
    })
    last = event
  }
  return marks
}
