import type { Worker } from 'node:worker_threads'
import type { ErrorInfo } from '../contract/error.ts'
import type { JobProgress, JobResult } from '../contract/job.ts'
import { LcmError, toErrorInfo } from '../errors.ts'
import { type OpenLcmOptions, openLcm } from '../lcm.ts'
import { salvageMemory } from '../salvage/salvage-memory.ts'
import { loadSettings } from '../settings/settings-store.ts'
import { requireEnabled } from '../settings/switched-off.ts'
import { nameSoon } from '../side-index/source-state.ts'
import type { JobExecutor, JobRequest } from './jobs.ts'
import { LastReport, watchState } from './last-report.ts'
import { driveJob, runJob } from './run-job.ts'

type ToThread = { kind: 'run'; id: number; request: JobRequest } | { kind: 'abort'; id: number }
type FromThread =
  | { kind: 'progress'; id: number; progress: JobProgress }
  | { kind: 'done'; id: number; result: JobResult }
  | { kind: 'failed'; id: number; error: ErrorInfo }

/** Somebody who ran one job may soon run another; what a thread holds then is tens of megabytes. */
const IDLE_MS = 10_000

/** Opens the memory on a connection of its own, runs the job, closes. */
export function executeHere(open: OpenLcmOptions): JobExecutor {
  const lastReport = new LastReport()
  return async ({ path, create, spec }, signal, onProgress) => {
    if (spec.kind === 'salvage') return driveJob(salvageJob(path, spec.to, signal), onProgress)
    // Before the file is opened, which would make one.
    if (spec.kind === 'import') requireEnabled(open.settings ?? loadSettings(process.env), 'import transcripts')
    const isOfAll = (spec.kind === 'integrity' || spec.kind === 'repair_plan') && spec.conversationId === undefined
    const stateOf = isOfAll ? watchState(path) : null
    const lcm = openLcm(path, { ...open, create, ...(spec.kind === 'copy' ? { readOnly: true } : {}) })
    try {
      const state = stateOf && (await nameSoon(() => stateOf(lcm)))
      const result = await driveJob(runJob(lcm, spec, signal, lastReport.of(lcm, state)), onProgress)
      if (result.kind === 'integrity' && stateOf && state !== null && stateOf(lcm) === state) {
        lastReport.keep(lcm, state, result.value)
      }
      return result
    } finally {
      lcm.close()
    }
  }
}

async function* salvageJob(from: string, to: string, signal: AbortSignal): AsyncGenerator<JobProgress, JobResult> {
  return { kind: 'salvage', value: yield* salvageMemory({ from, to }, signal) }
}

/**
 * Runs jobs in a thread of their own, so that a scan or a compaction never delays an interactive answer. The thread is
 * started with the first job, and let go with its memory when there has been none for a while.
 */
export function executeInThread(
  startThread: () => Worker,
  idleMs = IDLE_MS,
): { execute: JobExecutor; close(): Promise<void> } {
  let thread: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let lastId = 0
  const waiting = new Map<number, (message: FromThread) => void>()

  const letGo = (): void => {
    const unused = thread
    thread = null
    void unused?.terminate()
  }
  const ensure = (): Worker => {
    clearTimeout(idle)
    if (thread) return thread
    const started = startThread()
    const fail = (message: string): void => {
      // A thread ends once, and it is told twice: by then the next may be at work.
      if (thread !== started) return
      thread = null
      for (const [id, answer] of [...waiting]) {
        answer({ kind: 'failed', id, error: { code: 'internal', message, retryable: false } })
      }
    }
    started.on('message', (message: FromThread) => waiting.get(message.id)?.(message))
    started.on('error', (error) => fail(`The job thread stopped: ${error.message}. The memory file is valid.`))
    started.on('exit', () => fail('The job thread ended before the job did. The memory file is valid.'))
    thread = started
    return started
  }

  const execute: JobExecutor = (request, signal, onProgress) =>
    new Promise((resolve, reject) => {
      lastId += 1
      const id = lastId
      const target = ensure()
      const post = (message: ToThread): void => target.postMessage(message)
      const onAbort = (): void => post({ kind: 'abort', id })
      waiting.set(id, (message) => {
        if (message.kind === 'progress') return onProgress(message.progress)
        waiting.delete(id)
        if (waiting.size === 0) idle = setTimeout(letGo, idleMs).unref()
        signal.removeEventListener('abort', onAbort)
        if (message.kind === 'done') resolve(message.result)
        else reject(new LcmError(message.error.code, message.error.message, message.error.details))
      })
      signal.addEventListener('abort', onAbort, { once: true })
      post({ kind: 'run', id, request })
      if (signal.aborted) onAbort()
    })
  const close = async (): Promise<void> => {
    clearTimeout(idle)
    await thread?.terminate()
  }
  return { execute, close }
}

/** The other end: what the job thread does with its messages. */
export function serveJobs(
  port: {
    on(event: 'message', listener: (message: ToThread) => void): unknown
    postMessage(message: FromThread): void
  },
  open: OpenLcmOptions,
): void {
  const execute = executeHere(open)
  const running = new Map<number, AbortController>()
  port.on('message', (message) => {
    const { id } = message
    if (message.kind === 'abort') return running.get(id)?.abort()
    const abort = new AbortController()
    running.set(id, abort)
    execute(message.request, abort.signal, (progress) => port.postMessage({ kind: 'progress', id, progress }))
      .then((result) => port.postMessage({ kind: 'done', id, result }))
      .catch((error: unknown) => port.postMessage({ kind: 'failed', id, error: toErrorInfo(error) }))
      .finally(() => running.delete(id))
  })
}
