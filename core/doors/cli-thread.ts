import { createReadStream, fstatSync } from 'node:fs'
import { Socket, type SocketConstructorOpts } from 'node:net'
import { isatty, ReadStream } from 'node:tty'
import { parentPort, workerData } from 'node:worker_threads'
import { runCli } from './cli/program.ts'
import type { CliThreadData, FromCliThread, ToCliThread } from './cli-process.ts'

/**
 * The command runs in a thread, and the main thread only listens to signals, because a statement of SQLite cannot be
 * interrupted and blocks its thread (docs/decisions/0015-stops.md).
 */
const { args, installation, version, terminals } = workerData as CliThreadData
if (!parentPort) throw new Error('core/doors/cli-thread is a worker thread: core/doors/cli starts it')
const port = parentPort
const tell = (message: FromCliThread): void => port.postMessage(message)

// The streams of a thread do not know the properties of the terminals behind them.
Object.assign(process.stdout, terminals.stdout)
Object.assign(process.stderr, terminals.stderr)
type Stdin = ReadStream | Socket | ReturnType<typeof createReadStream>
const opened: { stdin: Stdin | null } = { stdin: null }
Object.defineProperty(process, 'stdin', {
  configurable: true,
  get: () => {
    opened.stdin ??= openStdin()
    return opened.stdin
  },
})

/** Opens standard input as the main thread would, but only when it is needed, so that unread input stays for others. */
function openStdin(): Stdin {
  if (isatty(0)) return new ReadStream(0)
  const kind = fstatSync(0)
  // It reads nothing before somebody listens, and keeps no process alive until then.
  const lazily: SocketConstructorOpts & { manualStart: true } = {
    fd: 0,
    readable: true,
    writable: false,
    manualStart: true,
  }
  if (kind.isFIFO() || kind.isSocket()) return new Socket(lazily)
  return createReadStream('', { fd: 0, autoClose: false })
}

port.on('message', (message: ToCliThread) => {
  if (message.kind === 'signal') tell({ kind: 'heard', isHandled: process.emit(message.signal, message.signal) })
  else tell({ kind: 'awake' })
})
port.unref()

let isWhole = true
const onStuck = (): void => {
  isWhole = false
}
const exitCode = await runCli(args, { ...installation, workerUrl: new URL(installation.workerUrl), onStuck }, version)
process.exitCode = exitCode
// A pipe that its writer keeps open would keep this thread alive.
opened.stdin?.destroy()
tell({ kind: 'ended', exitCode, isWhole })
