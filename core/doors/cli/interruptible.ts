import type { JobProgress } from '#core/contract/job.ts'
import { yieldToOthers } from '#core/yielding.ts'
import { onStopSignal } from '../stop-signals.ts'
import { ProgressLine } from './progress-line.ts'

/** What takes long: an answer that comes later, or steps that say how far they are. */
export type Work<T> = Promise<T> | AsyncGenerator<JobProgress, T>

/** Waits for work and shows its progress. Ctrl-C stops it at its next step. What was committed before stays. */
export async function interruptible<T>(start: (signal: AbortSignal) => Work<T>): Promise<T> {
  const abort = new AbortController()
  const removeListener = onStopSignal(() => abort.abort())
  try {
    const work = start(abort.signal)
    return await (Symbol.asyncIterator in work ? showing(work) : work)
  } finally {
    removeListener()
  }
}

async function showing<T>(steps: AsyncGenerator<JobProgress, T>): Promise<T> {
  const line = new ProgressLine(process.stderr)
  try {
    for (;;) {
      const step = await steps.next()
      if (step.done) return step.value
      line.show(step.value)
      // A job that never waits would prevent that the signal is noticed.
      await yieldToOthers()
    }
  } finally {
    line.clear()
  }
}
