import type { JobProgress } from '../../contract/job.ts'

/** A part of the whole work, as fractions of 1. */
type Share = { readonly from: number; readonly to: number }

/** Reports the progress of one part as progress of the whole. It never goes back. */
export async function* inShare<T>(
  part: AsyncGenerator<JobProgress, T>,
  { from, to }: Share,
): AsyncGenerator<JobProgress, T> {
  for (;;) {
    const step = await part.next()
    if (step.done) return step.value
    const { done, total } = step.value
    const share = total > 0 ? Math.min(1, done / total) : 0
    yield { ...step.value, done: from + (to - from) * share, total: 1, unit: 'steps' }
  }
}
