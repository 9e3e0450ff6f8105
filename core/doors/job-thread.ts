import type { Worker } from 'node:worker_threads'
import type { ErrorInfo } from '../contract/error.ts'
import type { JobProgress, JobResult } from '../contract/job.ts'
import { LcmError } from '../errors.ts'
import type { JobExecutor, JobRequest } from '../jobs/jobs.ts'
import { afterPatience, endsInTime } from './patience.ts'

export type ToJobThread = { kind: 'run'; id: number; request: JobRequest } | { kind: 'abort'; id: number }
export type FromJobThread =
  | { kind: 'progress'; id: number; progress: JobProgress }
  | { kind: 'done'; id: number; result: JobResult }
  | { kind: 'failed'; id: number; error: ErrorInfo }

/** The thread is kept this long after a job, because another one may follow. It then holds tens of megabytes. */
const IDLE_MS = 10_000

/** A thread that has not answered this long after a job was cancelled is in a statement. */
const GIVE_UP_MS = 1200
/** A thread that can be ended ends in much less time, unless the computer is busy. */
const TERMINATION_MS = 300

const GIVEN_UP =
  'The job was cancelled in the middle of a statement that does not end; what was committed before stays valid. Its thread is left to itself: restart LCM Inspector if the computer stays busy.'

export type JobThreads = {
  readonly execute: JobExecutor
  /**
   * @param limitMs how long to wait for threads that are in a statement or on a busy computer
   * @returns whether every thread ended; one that did not keeps this process from ending by itself
   */
  close(limitMs?: number): Promise<boolean>
}

type RunningJob = { readonly thread: Worker; readonly answer: (message: FromJobThread) => void }

/**
 * Runs jobs in a thread of their own, so that a scan or a compaction never delays an answer to the window. The thread
 * starts with the first job, and ends when it was idle for a while, to release its memory. A statement of SQLite cannot
 * be interrupted, and neither can its thread. When a job is cancelled and its thread does not answer, the job ends
 * here, and the next one gets another thread.
 */
export function executeInThread(
  startThread: () => Worker,
  { idleMs = IDLE_MS, giveUpMs = GIVE_UP_MS }: { readonly idleMs?: number; readonly giveUpMs?: number } = {},
): JobThreads {
  let thread: Worker | null = null
  /** Threads that were left in a statement. */
  const givenUp = new Set<Worker>()
  let idle: NodeJS.Timeout | undefined
  let lastId = 0
  const waiting = new Map<number, RunningJob>()

  const isUsed = (one: Worker): boolean => [...waiting.values()].some((job) => job.thread === one)
  const letGo = (unused: Worker): void => {
    if (thread === unused) thread = null
    void unused.terminate()
  }
  /** After its last job a thread is released: after a while, or at once when it was given up. */
  const rest = (used: Worker): void => {
    if (isUsed(used)) return
    if (used === thread) idle = setTimeout(() => letGo(used), idleMs).unref()
    else letGo(used)
  }
  const ensure = (): Worker => {
    clearTimeout(idle)
    if (thread) return thread
    const started = startThread()
    // The end of a thread is reported twice. The second time nothing waits for it.
    const fail = (message: string): void => {
      if (thread === started) thread = null
      for (const [id, job] of [...waiting]) {
        if (job.thread === started)
          job.answer({ kind: 'failed', id, error: { code: 'internal', message, retryable: false } })
      }
    }
    started.on('message', (message: FromJobThread) => {
      const job = waiting.get(message.id)
      if (job) job.answer(message)
      // The statement for which the thread was given up has ended.
      else if (message.kind !== 'progress') rest(started)
    })
    started.on('error', (error) => fail(`The job thread stopped: ${error.message}. The memory file is valid.`))
    started.on('exit', () => {
      givenUp.delete(started)
      fail('The job thread ended before the job did. The memory file is valid.')
    })
    thread = started
    return started
  }

  const execute: JobExecutor = (request, signal, onProgress) =>
    new Promise((resolve, reject) => {
      lastId += 1
      const id = lastId
      const target = ensure()
      const post = (message: ToJobThread): void => target.postMessage(message)
      let stopWaiting: (() => void) | undefined
      const giveUp = (): void => {
        if (thread === target) thread = null
        givenUp.add(target)
        waiting.delete(id)
        signal.removeEventListener('abort', onAbort)
        reject(new LcmError('cancelled', GIVEN_UP))
      }
      const onAbort = (): void => {
        post({ kind: 'abort', id })
        stopWaiting = afterPatience(giveUpMs, giveUp)
      }
      const answer = (message: FromJobThread): void => {
        if (message.kind === 'progress') {
          onProgress(message.progress)
          return
        }
        waiting.delete(id)
        stopWaiting?.()
        signal.removeEventListener('abort', onAbort)
        rest(target)
        if (message.kind === 'done') resolve(message.result)
        else reject(new LcmError(message.error.code, message.error.message, message.error.details))
      }
      waiting.set(id, { thread: target, answer })
      signal.addEventListener('abort', onAbort, { once: true })
      post({ kind: 'run', id, request })
      if (signal.aborted) onAbort()
    })
  const close = async (limitMs = TERMINATION_MS): Promise<boolean> => {
    clearTimeout(idle)
    const threads = thread === null ? [...givenUp] : [...givenUp, thread]
    return await endsInTime(Promise.all(threads.map((one) => one.terminate())), limitMs)
  }
  return { execute, close }
}
