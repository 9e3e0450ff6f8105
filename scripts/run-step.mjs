// Runs one step of a test run: a tool in a process group of its own.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { inProject, root } from './project.mjs'

const GRACE_MS = 5_000
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
    const interrupt = (signal) => stopGroup(child, signal)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, interrupt)
    child.once('error', reject)
    child.once('exit', async (code) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, interrupt)
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

/** Asks the tools to end, so that they close their browsers, then kills them. Either way this run ends. */
export function stopGroup(child, signal) {
  const send = (what) => {
    try {
      if (process.platform === 'win32') child.kill(what)
      else process.kill(-child.pid, what)
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }
  const end = () => {
    send('SIGKILL')
    process.exit(signal === 'SIGINT' ? 130 : 143)
  }
  child.removeAllListeners('exit').once('exit', end)
  send('SIGINT')
  setTimeout(end, GRACE_MS)
}
