import type { JobProgress } from '../contract/job.ts'

export type Report = (step: JobProgress) => void

/** Turns work that reports its steps by a call into a stream of them. The newest is enough for whoever is slower. */
export async function* reported<T>(work: (report: Report) => Promise<T>): AsyncGenerator<JobProgress, T> {
  let newest: JobProgress | null = null
  let wake: () => void = () => undefined
  const running = work((step) => {
    newest = step
    wake()
  })
  const ended = running.then(
    () => true,
    () => true,
  )
  for (;;) {
    const step = new Promise<boolean>((resolve) => {
      wake = () => resolve(false)
    })
    if (newest === null && (await Promise.race([ended, step]))) return running
    if (newest !== null) {
      const next: JobProgress = newest
      newest = null
      yield next
    }
  }
}
