import type { RoutePatch } from '#renderer/routes.ts'

/** Where a compaction run is shown: opened in the history of its conversation. */
export const runAddress = (runId: string): RoutePatch => ({
  view: 'compact',
  shown: { 'compact.list': 'history', 'compact.run': runId },
})
