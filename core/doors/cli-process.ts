import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { LcmError } from '../errors.ts'
import { fileError } from '../sqlite/memory-file.ts'
import type { Installation } from './cli/command.ts'
import { printError } from './cli/output/output.ts'
import { compileCacheFolder } from './compile-cache.ts'
import { THREAD_LIMITS } from './heap.ts'
import { afterPatience } from './patience.ts'
import { onStopSignal, type StopSignal } from './stop-signals.ts'

type Terminal = { readonly isTTY?: boolean; readonly columns?: number }
export type CliThreadData = {
  readonly args: readonly string[]
  /** The addresses are texts, because only these can be sent to a thread. */
  readonly installation: Omit<Installation, 'workerUrl' | 'onStuck'> & { readonly workerUrl: string }
  readonly version: string
  readonly terminals: { readonly stdout: Terminal; readonly stderr: Terminal }
}
export type ToCliThread = { kind: 'signal'; signal: StopSignal } | { kind: 'ping' }
export type FromCliThread =
  /** Not handled when nothing in the command listens to the signal. */
  { kind: 'heard'; isHandled: boolean } | { kind: 'awake' } | { kind: 'ended'; exitCode: number; isWhole: boolean }

/**
 * A command that has not answered in this time of its own is in a statement of SQLite, which cannot be interrupted. Its
 * other steps are shorter. Ending it loses nothing that was committed. A stop has to take effect within two seconds.
 */
const ANSWER_MS = 1000
/**
 * A finished thread may take this long to release what it holds. After that the process ends itself by a signal, and
 * its exit code is lost. So the time is short only where a signal asked for the end.
 */
const END_MS = { afterSignal: 5000, otherwise: 60_000 }

const terminalOf = ({ isTTY, columns }: NodeJS.WriteStream): Terminal => (isTTY ? { isTTY, columns } : {})
type Program = {
  /** The folder of the installation. */
  readonly root: string
  readonly version: string
  /** Gives the address of another file of the program that is started by it. */
  readonly here: (name: string) => URL
}

/** Runs the command of this process in a thread, and ends the process with its exit code or as a signal wants it. */
export function runCommandLine({ root, version, here }: Program): void {
  const args = process.argv.slice(2)
  const workerData: CliThreadData = {
    args,
    installation: {
      root,
      workerUrl: here('worker').href,
      rendererDir: join(root, 'out/renderer'),
      resourcesDir: join(root, 'resources'),
    },
    version,
    terminals: { stdout: terminalOf(process.stdout), stderr: terminalOf(process.stderr) },
  }
  // The thread inherits the environment and finds the folder there. This thread itself has little to compile.
  const compileCache = compileCacheFolder(process.env)
  if (compileCache !== null) process.env.NODE_COMPILE_CACHE = compileCache
  const thread = new Worker(here('cli-thread'), { workerData, resourceLimits: THREAD_LIMITS })
  const post = (message: ToCliThread): void => thread.postMessage(message)

  let lastSignal: StopSignal | null = null
  /** Ends the present wait for an answer, or the pause before the next question. */
  let stopWaiting: (() => void) | null = null

  /** Ends this process as the signal would by default, because exiting would wait for a thread that does not end. */
  function dieOf(signal: NodeJS.Signals): void {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }

  function onSignal(signal: StopSignal): void {
    lastSignal = signal
    ask({ kind: 'signal', signal })
  }

  /** Asks the thread whether it hears, and again after each answer. */
  function ask(message: ToCliThread): void {
    stopWaiting?.()
    post(message)
    stopWaiting = afterPatience(ANSWER_MS, giveUp)
  }

  function onAnswer(): void {
    if (stopWaiting === null) return
    stopWaiting()
    const pause = setTimeout(() => ask({ kind: 'ping' }), ANSWER_MS)
    stopWaiting = () => clearTimeout(pause)
  }

  function giveUp(): void {
    printError(
      new LcmError(
        'cancelled',
        'The command was ended in the middle of a statement that does not end; what was committed before stays valid.',
      ),
      args.includes('--json'),
    )
    dieOf(lastSignal ?? 'SIGTERM')
  }

  onStopSignal(onSignal)

  thread.on('message', (message: FromCliThread) => {
    if (message.kind !== 'ended') {
      onAnswer()
      if (message.kind === 'heard' && !message.isHandled) dieOf(lastSignal ?? 'SIGTERM')
      return
    }
    stopWaiting?.()
    stopWaiting = null
    process.exitCode = message.exitCode
    if (!message.isWhole) dieOf(lastSignal ?? 'SIGTERM')
    setTimeout(() => dieOf(lastSignal ?? 'SIGTERM'), lastSignal ? END_MS.afterSignal : END_MS.otherwise).unref()
  })
  thread.on('error', (error) => {
    console.error(error)
    process.exitCode = 1
  })
  thread.on('exit', (code) => {
    stopWaiting?.()
    process.exitCode ??= code
    // Listeners of signals do not keep a process alive, but pending writes do.
  })

  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader of a pipe has closed it (`lcm grep … | head`), so nothing more is written.
      const exitCode =
        error.code === 'EPIPE' ? (process.exitCode ?? 0) : printError(fileError(error, 'standard output'), false)
      setTimeout(() => dieOf('SIGTERM'), END_MS.afterSignal)
      void thread.terminate().finally(() => process.exit(exitCode))
    })
  }
}
