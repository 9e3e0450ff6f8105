import type { CompactionEvent, Timeline } from '#core/contract/time-travel.ts'

/** A compaction at a position of the history. */
export type CompactionMark = {
  readonly atMs: number
  /** True when the file records it; otherwise it is derived from creation times. */
  readonly isExact: boolean
  readonly summaries: number
  /** The id of the last summary that it made. */
  readonly summaryId: string
  /** Active tokens right after it. */
  readonly activeTokens: number
}

/** Returns the compactions, oldest first, by the position of the message that was the newest when they ran. */
export function compactionMarks({
  events,
  isExact,
}: Pick<Timeline, 'events' | 'isExact'>): ReadonlyMap<number, readonly CompactionMark[]> {
  const marks = new Map<number, readonly CompactionMark[]>()
  let last: CompactionEvent | undefined
  for (const event of events) {
    const position = Math.max(0, event.messages - 1)
    const there = marks.get(position) ?? []
    const before = there.at(-1)
    const isSameRun = last !== undefined && last.messages === event.messages && last.runId === event.runId
    const mark: CompactionMark = {
      atMs: event.atMs,
      isExact,
      summaries: (isSameRun ? (before?.summaries ?? 0) : 0) + 1,
      summaryId: event.summaryId,
      activeTokens: event.activeTokens,
    }
    marks.set(position, isSameRun ? [...there.slice(0, -1), mark] : [...there, mark])
    last = event
  }
  return marks
}
