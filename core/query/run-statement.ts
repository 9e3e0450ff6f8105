import { fork } from 'node:child_process'
import type { ErrorInfo } from '../contract/error.ts'
import type { SqlAnswer, SqlTable } from '../contract/sql.ts'
import { LcmError } from '../errors.ts'

export type StatementTask = {
  readonly path: string
  readonly allowNewer: boolean
  readonly cacheDir: string | undefined
  readonly asked: { readonly kind: 'tables' } | { readonly kind: 'sql'; readonly sql: string; readonly limit: number }
}
export type StatementReply =
  | { readonly kind: 'answer'; readonly answer: SqlAnswer }
  | { readonly kind: 'tables'; readonly tables: readonly SqlTable[] }
  | { readonly kind: 'failed'; readonly error: ErrorInfo }

/** A process for one statement. */
type StatementProcess = {
  send(task: StatementTask): void
  /** @param listener is called once: with the reply, or with null when the process ended without one */
  onEnd(listener: (reply: StatementReply | null) => void): void
  /** Ends it at once, also in the middle of a statement. */
  kill(): void
}
export type StartStatement = () => StatementProcess

/** Built, the process stands beside the files that are loaded first, and this code may be in a folder below. */
const isSource = import.meta.url.endsWith('.ts')
const built = import.meta.dirname.endsWith('chunks') ? '../statement-process.js' : './statement-process.js'
const PROCESS_URL = new URL(isSource ? './statement-process.ts' : built, import.meta.url)

/** Starts the process where Node itself runs. */
export const forkStatement: StartStatement = () => {
  const child = fork(PROCESS_URL, [], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  return {
    send: (task) => void child.send(task),
    onEnd: (listener) => {
      child.once('message', (reply) => listener(reply as StatementReply))
      child.once('error', () => listener(null))
      child.once('exit', () => listener(null))
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/**
 * Runs one statement in a process of its own, which is killed when the time is over or nobody waits any more.
 * @throws LcmError statement_refused, statement_stopped, cancelled, invalid_argument, and why the file cannot be read
 */
export function runStatement(
  start: StartStatement,
  task: StatementTask,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<StatementReply> {
  return new Promise((resolve, reject) => {
    const child = start()
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      child.kill()
      settle()
    }
    const onAbort = (): void => end(() => reject(new LcmError('cancelled', 'The statement was stopped.')))
    const timer = setTimeout(() => end(() => reject(tooLong(timeoutMs))), timeoutMs)
    child.onEnd((reply) =>
      end(() => {
        if (reply === null)
          reject(
            new LcmError(
              'statement_stopped',
              'The process of the statement ended by itself: it may have needed more memory than there is. Ask for less.',
            ),
          )
        else if (reply.kind === 'failed')
          reject(new LcmError(reply.error.code, reply.error.message, reply.error.details))
        else resolve(reply)
      }),
    )
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) return onAbort()
    child.send(task)
  })
}

const tooLong = (timeoutMs: number): LcmError =>
  new LcmError(
    'statement_stopped',
    `The statement was stopped after ${timeoutMs / 1000} s, and nothing of it is shown. Narrow it by a WHERE or a LIMIT, or give it more time.`,
  )
