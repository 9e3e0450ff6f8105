// Child processes: passes their output and signals on, and keeps their exit codes.
import { spawn } from 'node:child_process'

/**
 * Runs a command to its end and passes signals on to it.
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null }>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options })
    const stopForwarding = forwardSignals(child)
    child.once('error', (error) => {
      stopForwarding()
      reject(error)
    })
    child.once('exit', (code, signal) => {
      stopForwarding()
      resolve({ code, signal })
    })
  })
}

/** Like {@link run}, with the child's standard output moved to standard error. */
export const runQuietOnStdout = (command, args, options = {}) =>
  run(command, args, { ...options, stdio: ['ignore', process.stderr, process.stderr] })

/** Ends this process the way the child ended, so that a shell sees no difference. */
export function endLike({ code, signal }) {
  if (signal === null) process.exitCode = code ?? 1
  else process.kill(process.pid, signal)
}

/** Passes the signals of this process on to a child. Returns what ends that. */
export function forwardSignals(child) {
  const listeners = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => {
    const listener = () => {
      // The terminal sends Ctrl-C to the child as well. A second signal would make it stop at once.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
    }
    process.on(signal, listener)
    return () => process.off(signal, listener)
  })
  return () => {
    for (const stop of listeners) stop()
  }
}
