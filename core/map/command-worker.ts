import { type ChildProcess, spawn } from 'node:child_process'
import { LcmError } from '../errors.ts'
import { excerptOf } from '../text.ts'
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
/** The time that a command has to end by itself when it is stopped. */
const STOP_MS = 2_000

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
function run({ program, args, input }: Run, stop: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that what the command has started ends with it.
    const child = spawn(program, args, { stdio: 'pipe', detached: process.platform !== 'win32', windowsHide: true })
    const answer: Buffer[] = []
    let [bytes, complaint, isTooLong] = [0, '', false]
    const end = (): void => endGroup(child)
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
    child.once('error', (error: NodeJS.ErrnoException) => reject(noCommand(program, error)))
    child.once('close', (code, signal) => {
      stop.removeEventListener('abort', end)
      resolve({ code, signal, answer: Buffer.concat(answer).toString('utf8'), complaint, isTooLong })
    })
    if (stop.aborted) end()
    else stop.addEventListener('abort', end, { once: true })
  })
}

/** Asks the command and what it started to end, and ends them when they do not. */
function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_MS)
  child.once('close', () => clearTimeout(timer))
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
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
