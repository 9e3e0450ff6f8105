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
  /** The memory is open, and the time of the statement begins. */
  { readonly kind: 'begins' } | StatementEnd
export type StatementEnd =
  | { readonly kind: 'answer'; readonly answer: SqlAnswer }
  | { readonly kind: 'tables'; readonly tables: readonly SqlTable[] }
  | { readonly kind: 'failed'; readonly error: ErrorInfo }

/** A process for one statement. */
type StatementProcess = {
  send(task: StatementTask): void
  /** @param listener is called with each reply, and with null when the process has ended */
  onReply(listener: (reply: StatementReply | null) => void): void
  /** Ends it at once, also in the middle of a statement. */
  kill(): void
}
export type StartStatement = () => StatementProcess

/** Built, the process stands beside the files that are loaded first, and this code may be in a folder below. */
const isSource = import.meta.url.endsWith('.ts')
const built = import.meta.dirname.endsWith('chunks') ? '../statement-process.js' : './statement-process.js'
const PROCESS_URL = new URL(isSource ? './statement-process.ts' : built, import.meta.url)

/** The process watches this pipe, whose other end closes when its parent ends, in whatever way. */
export const PARENT_PIPE = 4

/** Starts the process where Node itself runs. */
export const forkStatement: StartStatement = () => {
  const child = fork(PROCESS_URL, [], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
  })
  return {
    send: (task) => void child.send(task),
    onReply: (listener) => {
      child.on('message', (reply) => listener(reply as StatementReply))
      child.once('error', () => listener(null))
      // Comes behind the last message, which the end of the process may not.
      child.once('disconnect', () => listener(null))
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/** A process that has not opened the memory after this long is given up. */
const OPENING_MS = 120_000

/**
 * Runs one statement in a process of its own, which is killed when the time is over or nobody waits any more.
 * @param timeoutMs of the statement itself: on a busy machine its process takes long to start
 * @throws LcmError statement_refused, statement_stopped, cancelled, invalid_argument, and why the file cannot be read
 */
export function runStatement(
  start: StartStatement,
  task: StatementTask,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<StatementEnd> {
  return new Promise((resolve, reject) => {
    const child = start()
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      child.kill()
      settle()
    }
    const fail = (error: LcmError): void => end(() => reject(error))
    const onAbort = (): void => fail(new LcmError('cancelled', 'The statement was stopped.'))
    let timer = setTimeout(() => fail(new LcmError('statement_stopped', NOT_OPENED)), OPENING_MS)
    child.onReply((reply) => {
      if (reply === null) fail(new LcmError('statement_stopped', ENDED))
      else if (reply.kind === 'failed') fail(new LcmError(reply.error.code, reply.error.message, reply.error.details))
      else if (reply.kind !== 'begins') end(() => resolve(reply))
      else {
        clearTimeout(timer)
        timer = setTimeout(() => fail(tooLong(timeoutMs)), timeoutMs)
      }
    })
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) return onAbort()
    child.send(task)
  })
}

const NOT_OPENED = `The memory was not opened within ${OPENING_MS / 1000} s, and the statement did not run. Try again when the computer is less busy.`
const ENDED =
  'The process of the statement ended by itself: it may have needed more memory than there is. Ask for less.'

const tooLong = (timeoutMs: number): LcmError =>
  new LcmError(
    'statement_stopped',
    `The statement was stopped after ${timeoutMs / 1000} s, and nothing of it is shown. Narrow it by a WHERE or a LIMIT, or give it more time.`,
  )
