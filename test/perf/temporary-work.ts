import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refusal } from '#scripts/project.mjs'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** After this a program that was asked to end is killed. */
const PATIENCE_MS = 5000

/** Gives the work a fresh folder, and removes the folder however the work ends: also after Ctrl-C. */
export async function inTemporaryFolder(work: (folder: string, stop: AbortSignal) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lcm-bench-against-'))
  const stop = new AbortController()
  let stoppedBy: NodeJS.Signals | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    stoppedBy ??= signal
    stop.abort(new Refusal('stopped; the temporary folder is removed.'))
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  try {
    await work(folder, stop.signal)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    for (const signal of SIGNALS) process.off(signal, onSignal)
    if (stoppedBy !== undefined) process.kill(process.pid, stoppedBy)
  }
}

/**
 * Runs a program on this Node and returns what it wrote to standard output.
 * It has a process group of its own, so that stopping it also stops what it started.
 */
export async function programOutput(args: readonly string[], folder: string, stop: AbortSignal): Promise<string> {
  stop.throwIfAborted()
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: process.platform !== 'win32',
  })
  let killing: NodeJS.Timeout | undefined
  const end = (): void => {
    signalGroup(child, 'SIGTERM')
    killing = setTimeout(() => signalGroup(child, 'SIGKILL'), PATIENCE_MS)
  }
  stop.addEventListener('abort', end, { once: true })
  try {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const ended = await new Promise<string>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve(String(signal ?? code)))
    })
    stop.throwIfAborted()
    if (ended !== '0') throw new Refusal(`${args[0]} ended with ${ended} in ${folder}; its reason is above.`)
    return output
  } finally {
    clearTimeout(killing)
    stop.removeEventListener('abort', end)
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') {
    child.kill(signal)
    return
  }
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    // The whole group has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
