import { expect, it } from 'vitest'
import { compactionMarks } from '#core/window/time-travel/compaction-marks.ts'
import { compactionEvent } from '#test/renderer/compaction-event.ts'

it('marks a compaction once a run, at the newest message of that moment and not at the edges of its leaves', () => {
  const events = [
    compactionEvent({ eventId: 1, runId: 'run_1', messages: 40, summaryId: 'sum_1', activeTokens: 90 }),
    compactionEvent({ eventId: 2, runId: 'run_1', messages: 40, summaryId: 'sum_2', activeTokens: 50 }),
    compactionEvent({ eventId: 3, runId: 'run_2', messages: 40, summaryId: 'sum_3', activeTokens: 45 }),
    compactionEvent({ eventId: 4, runId: 'run_3', messages: 60, summaryId: 'sum_4', activeTokens: 70 }),
  ]
  expect(compactionMarks({ events, isExact: true })).toMatchObject([
    { position: 39, summaries: 2, summaryId: 'sum_2', activeTokens: 50, isExact: true },
    { position: 39, summaries: 1, summaryId: 'sum_3', activeTokens: 45 },
    { position: 59, summaries: 1, summaryId: 'sum_4' },
  ])
})

it('marks the summaries of a file without a log at the places that follow from their creation times', () => {
  const events = [2, 2, 9].map((messages, index) =>
    compactionEvent({ eventId: index, runId: '', messages, summaryId: `sum_${index}` }),
  )
  const marks = compactionMarks({ events, isExact: false })
  expect(marks.map(({ position, summaries, isExact }) => [position, summaries, isExact])).toEqual([
    [1, 2, false],
    [8, 1, false],
  ])
})
