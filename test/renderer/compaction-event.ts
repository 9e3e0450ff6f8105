import type { CompactionEvent } from '#core/contract/time-travel.ts'

/** A compaction event about which only what the test states matters. */
export function compactionEvent(event: Partial<CompactionEvent>): CompactionEvent {
  return {
    eventId: 1,
    runId: 'run',
    atMs: 0,
    messages: 0,
    pass: 'leaf',
    summaryId: 'sum_1',
    depth: 0,
    level: 'deterministic',
    removed: 1,
    sourceTokens: 10,
    tokens: 1,
    activeTokens: 1,
    durationMs: 0,
    ...event,
  }
}
