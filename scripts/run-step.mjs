// Runs one step of a test run: a tool in a process group of its own.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { inProject, root } from './project.mjs'

const GRACE_MS = 5_000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** A log has no colours and shows only failed tests. A terminal shows every test. */
export const isLog = !process.stdout.isTTY

/** The arguments of a run of Vitest that leaves a JSON report. */
export const vitestArgs = (report, ...more) => [
  inProject('node_modules/vitest/vitest.mjs'),
  'run',
  `--reporter=${isLog ? 'minimal' : 'default'}`,
  '--reporter=json',
  `--outputFile=${report}`,
  ...more,
]

/**
 * Runs a step in a process group of its own, so that an interruption reaches everything that it started.
 * @returns {Promise<number>} its exit code
 */
export function runStep(node, step, more = {}) {
  if (step.report) rmSync(step.report, { force: true })
  return new Promise((resolve, reject) => {
    const env = {
      ...process.env,
      PATH: [dirname(node), inProject('node_modules/.bin'), process.env.PATH].join(delimiter),
      ...more,
    }
    const output = isLog ? 'pipe' : 'inherit'
    const stdio = ['ignore', output, output]
    const child = spawn(node, step.args, { cwd: root, env, stdio, detached: process.platform !== 'win32' })
    const said = [child.stdout, child.stderr].filter(Boolean).map(sayPlainly)
    const noLongerRuns = stopWithThis(child)
    child.once('error', reject)
    child.once('exit', async (code) => {
      noLongerRuns()
      // A child process that is still running may keep the output open, but the step's own output is complete by then.
      await Promise.race([Promise.all(said), new Promise((late) => setTimeout(late, GRACE_MS).unref())])
      resolve(code ?? 1)
    })
  })
}

/** Copies the lines of a stream without colours. Resolves at its end. */
function sayPlainly(stream) {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
  lines.on('line', (line) => process.stdout.write(`${stripVTControlCharacters(line)}\n`))
  return new Promise((ended) => lines.once('close', ended))
}

/** The groups of processes that end with this process. */
const running = new Set()

/**
 * Has an interruption of this process reach the process group of a child.
 * @returns {() => void} to be called when the child has ended by itself
 */
export function stopWithThis(child) {
  if (running.size === 0) for (const signal of SIGNALS) process.once(signal, stopAll)
  running.add(child)
  return () => {
    running.delete(child)
    if (running.size === 0) for (const signal of SIGNALS) process.off(signal, stopAll)
  }
}

/** Asks the tools to end, so that they close their browsers, then kills them. Either way this run ends. */
function stopAll(signal) {
  const groups = [...running]
  const end = () => {
    for (const child of groups) send(child, 'SIGKILL')
    process.exit(signal === 'SIGINT' ? 130 : 143)
  }
  for (const child of groups) {
    child.removeAllListeners('exit').once('exit', () => {
      running.delete(child)
      if (running.size === 0) end()
    })
    send(child, 'SIGINT')
  }
  setTimeout(end, GRACE_MS)
}

function send(child, signal) {
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
