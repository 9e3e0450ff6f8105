import type { JobProgress } from '#core/contract/job.ts'
import { yieldToOthers } from '#core/yielding.ts'
import { onStopSignal } from '../stop-signals.ts'
import { ProgressLine } from './progress-line.ts'

/** Runs a job to its end and shows its progress. Ctrl-C stops it at its next step. What was committed before stays. */
export async function interruptible<T>(start: (signal: AbortSignal) => AsyncGenerator<JobProgress, T>): Promise<T> {
  const abort = new AbortController()
  const line = new ProgressLine(process.stderr)
  const removeListener = onStopSignal(() => abort.abort())
  try {
    const job = start(abort.signal)
    for (;;) {
      const step = await job.next()
      if (step.done) return step.value
      line.show(step.value)
      // A job that never waits would prevent that the signal is noticed.
      await yieldToOthers()
    }
  } finally {
    line.clear()
    removeListener()
  }
}

/** Waits for an answer. Ctrl-C cancels the question. */
export async function interruptibleCall<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController()
  const removeListener = onStopSignal(() => abort.abort())
  try {
    return await call(abort.signal)
  } finally {
    removeListener()
  }
}
