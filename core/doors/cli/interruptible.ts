import type { JobProgress } from '../../contract/job.ts'
import { yieldToOthers } from '../../yielding.ts'
import { ProgressLine } from './progress-line.ts'

/** Drives a job to its end, showing its progress. Ctrl-C stops it at its next step; what was committed before stays. */
export async function interruptible<T>(start: (signal: AbortSignal) => AsyncGenerator<JobProgress, T>): Promise<T> {
  const abort = new AbortController()
  const line = new ProgressLine(process.stderr)
  const onInterrupt = (): void => abort.abort()
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onInterrupt)
  try {
    const job = start(abort.signal)
    for (;;) {
      const step = await job.next()
      if (step.done) return step.value
      line.show(step.value)
      // A job that never waits would keep the signal from being heard.
      await yieldToOthers()
    }
  } finally {
    line.clear()
    process.off('SIGINT', onInterrupt)
    process.off('SIGTERM', onInterrupt)
  }
}

/** Waits for an answer. Ctrl-C withdraws the question. */
export async function interruptibleCall<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController()
  const onInterrupt = (): void => abort.abort()
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onInterrupt)
  try {
    return await call(abort.signal)
  } finally {
    process.off('SIGINT', onInterrupt)
    process.off('SIGTERM', onInterrupt)
  }
}
