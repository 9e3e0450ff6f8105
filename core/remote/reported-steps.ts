import { setTimeout as pause } from 'node:timers/promises'
import type { JobProgress } from '../contract/job.ts'
import type { Postgres } from './postgres/connect.ts'

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

/** A server that takes longer is named. */
const SLOW_MS = 2000
const LOOK_EVERY_MS = 500

/** Passes the steps of the work on, and says for how long its server has not answered. */
export async function* withSilences<T>(
  db: Pick<Postgres, 'shown' | 'waitsMs'>,
  work: AsyncGenerator<JobProgress, T>,
): AsyncGenerator<JobProgress, T> {
  let newest: JobProgress = { done: 0, total: 0, unit: 'messages', note: '' }
  let next = work.next()
  for (let told = 0; ; ) {
    const step = await Promise.race([next, pause(LOOK_EVERY_MS, null, { ref: false })])
    const seconds = Math.floor(db.waitsMs() / 1000)
    if (step === null && seconds !== told && db.waitsMs() >= SLOW_MS) {
      told = seconds
      yield { ...newest, note: `${db.shown} has not answered for ${seconds} s` }
    }
    if (step === null) continue
    if (step.done) return step.value
    newest = step.value
    yield newest
    next = work.next()
  }
}
