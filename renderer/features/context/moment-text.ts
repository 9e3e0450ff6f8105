import type { CompactionEvent, Timeline } from '#core/contract/time-travel.ts'
import { depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { formatCount, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { type Course, progressAt, type TimePoint } from './moments.ts'

/** The run of an event and its step in that run, both counted from 1. */
export type RunStep = {
  readonly run: number
  readonly runs: number
  readonly step: number
  readonly steps: number
}

/** Returns the position of every event in its run, in the order of events. */
export function runSteps(events: readonly Pick<CompactionEvent, 'runId'>[]): readonly RunStep[] {
  const runs = new Map<string, { readonly run: number; steps: number }>()
  const steps = events.map(({ runId }) => {
    const run = runs.get(runId) ?? { run: runs.size + 1, steps: 0 }
    run.steps += 1
    runs.set(runId, run)
    return { run, step: run.steps }
  })
  return steps.map(({ run, step }) => ({ run: run.run, runs: runs.size, step, steps: run.steps }))
}

/**
 * Describes the last event before a moment: `after run 22 of 23`, `after message 5,214 of 9,981`, `in run 22 of 23,
 * step 3 of 7`.
 */
export function momentText(point: TimePoint, timeline: Timeline, course: Course, runSteps: readonly RunStep[]): string {
  if (point.kind === 'now') return 'now'
  if (point.kind === 'message') {
    const { messages } = progressAt(point, course)
    return `after message ${formatCount(messages)} of ${formatCount(course.messages)}`
  }
  const run = runSteps[point.index]
  if (run === undefined) return 'now'
  // Files without a log have no runs, so each summary counts as one.
  if (!timeline.isExact) return `after summary ${formatCount(point.index + 1)} of ${formatCount(runSteps.length)}`
  const name = `compaction ${formatCount(run.run)} of ${formatCount(run.runs)}`
  return run.step === run.steps
    ? `after ${name}`
    : `in ${name}, step ${formatCount(run.step)} of ${formatCount(run.steps)}`
}

/** Describes an event for its tick: `leaf sum_1: 12 messages, 4,100 → 600 tokens`. */
export function eventText(event: CompactionEvent): string {
  const { depth, summaryId, removed, sourceTokens, tokens, pass } = event
  const what = pass === 'leaf' ? plural(removed, 'message') : plural(removed, 'summary', 'summaries')
  return `${depthLabel(depth)} ${summaryId}: ${what}, ${formatCount(sourceTokens)} → ${formatTokens(tokens)}`
}
