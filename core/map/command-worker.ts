import { LcmError } from '../errors.ts'
import { excerptOf } from '../text.ts'
import { startGuarded } from './guarded-command.ts'
import { ItemFailure, type Task, type Worker } from './worker.ts'

type CommandWork = {
  /** The program and its arguments. No shell is between. */
  readonly command: readonly [string, ...string[]]
  /** Writes what the command reads on standard input. */
  readonly inputFor: (task: Task) => string
  /** A command that takes longer is ended. */
  readonly timeoutMs: number
}

/** No answer is larger. A command that prints more would fill the memory. */
const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024
/** Of what a command says on standard error, only the end is kept. */
const KEPT_ERROR_CHARS = 4_000
/** Creates a worker that runs a command for each item and takes what it prints for the answer. */
export function createCommandWorker({ command, inputFor, timeoutMs }: CommandWork): Worker {
  const [program, ...args] = command
  return {
    name: program,
    identity: command,
    work: async (task, signal) => {
      const late = AbortSignal.timeout(timeoutMs)
      const ended = await run({ program, args, input: inputFor(task) }, AbortSignal.any([signal, late]))
      signal.throwIfAborted()
      if (late.aborted) throw new ItemFailure(`The command took longer than ${timeoutMs / 1000} s.`, true)
      if (ended.isTooLong) throw new ItemFailure('The command printed more than 8 MiB.', false)
      if (ended.code === 0) return ended.answer
      const how = ended.code === null ? `was ended by ${ended.signal}` : `ended with code ${ended.code}`
      const said = excerptOf(ended.complaint.trim().split('\n').at(-1) ?? '', 240)
      throw new ItemFailure(`The command ${how}${said === '' ? '' : `: ${said}`}.`, true)
    },
  }
}

type Run = { readonly program: string; readonly args: readonly string[]; readonly input: string }
type Ended = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly answer: string
  readonly complaint: string
  readonly isTooLong: boolean
}

/** @throws LcmError invalid_argument when there is no such command */
function run({ program, args, input }: Run, cut: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const { child, release, stop } = startGuarded(program, args)
    const answer: Buffer[] = []
    let [bytes, complaint, isTooLong] = [0, '', false]
    let stopping: Promise<void> | null = null
    const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
      cut.removeEventListener('abort', end)
      resolve({ code, signal, answer: Buffer.concat(answer).toString('utf8'), complaint, isTooLong })
    }
    // A pipe that something holds open in spite of all is not waited for.
    const end = (): void => {
      stopping ??= stop().then(() => {
        for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
        child.unref()
        ended(child.exitCode, child.signalCode)
      })
    }
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= LARGEST_ANSWER_BYTES) answer.push(chunk)
      else if (!isTooLong) {
        isTooLong = true
        end()
      }
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-KEPT_ERROR_CHARS)
    })
    // A command need not read its input.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.once('error', (error: NodeJS.ErrnoException) => {
      release()
      reject(noCommand(program, error))
    })
    child.once('close', (code, signal) => {
      if (stopping !== null) return
      release()
      ended(code, signal)
    })
    if (cut.aborted) end()
    else cut.addEventListener('abort', end, { once: true })
  })
}

function noCommand(program: string, error: NodeJS.ErrnoException): unknown {
  if (error.code !== 'ENOENT' && error.code !== 'EACCES') return error
  const reason = error.code === 'ENOENT' ? 'is not found' : 'may not be run'
  return new LcmError(
    'invalid_argument',
    `The command ${JSON.stringify(program)} ${reason}: name a program in PATH or its whole path behind "--".`,
    { command: program },
    { cause: error },
  )
}
