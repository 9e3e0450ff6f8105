// `npm test`: installs what is missing, runs every suite, ends with the counts.
// A developer may run a part of it: npm test -- --only=types,lint,build,vitest,playwright
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { bootstrap } from './bootstrap.mjs'
import { ensureBrowser } from './ensure-browser.mjs'
import { inProject, main, Refusal, root, say } from './project.mjs'
import { playwrightCounts, stepCounts, sum, table, vitestCounts } from './test-counts.mjs'
import { playwrightFiles, slowest, vitestFiles } from './test-slowest.mjs'

const GRACE_MS = 5_000
/** A log has no colours, and tells of what failed only; who looks on sees every test. */
const isLog = !process.stdout.isTTY
const reports = {
  vitest: inProject('test-results/vitest.json'),
  playwright: inProject('test-results/playwright.json'),
}

await main(async () => {
  const wanted = wantedSteps(process.argv.slice(2))
  const node = await bootstrap()
  const browser = wanted.has('playwright') || wanted.has('vitest') ? await browserOrNone() : undefined
  mkdirSync(inProject('test-results'), { recursive: true })
  const rows = []
  for (const step of steps(node)) {
    if (!wanted.has(step.name)) continue
    console.log(`\n── ${step.title} ${'─'.repeat(Math.max(0, 70 - step.title.length))}`)
    const startedAtMs = Date.now()
    const code = step.needsBrowser && !browser ? 1 : await runStep(node, step, browser)
    const seconds = (Date.now() - startedAtMs) / 1000
    console.log(`── ${step.name}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds.toFixed(1)} s`)
    rows.push({ name: step.name, seconds, ...step.counts(code) })
    if (code !== 0) process.exitCode = 1
  }
  const total = sum(rows)
  if (total.failed > 0) process.exitCode = 1
  const files = steps().flatMap(({ name, files }) => (wanted.has(name) && files ? files() : []))
  if (files.length > 0) console.log(`\nslowest files\n${slowest(files)}`)
  console.log(`\n${table(rows)}\n`)
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
})

function steps() {
  const tool = (path, ...args) => [inProject('node_modules', path), ...args]
  return [
    { name: 'types', title: 'Types', args: [inProject('scripts/types.mjs')], counts: stepCounts },
    { name: 'lint', title: 'Lint', args: tool('@biomejs/biome/bin/biome', 'check', '.'), counts: stepCounts },
    { name: 'build', title: 'Build', args: [inProject('scripts/build.mjs')], counts: stepCounts },
    {
      name: 'vitest',
      title: 'Unit, property and contract tests',
      args: tool(
        'vitest/vitest.mjs',
        'run',
        `--reporter=${isLog ? 'minimal' : 'default'}`,
        '--reporter=json',
        `--outputFile=${reports.vitest}`,
      ),
      report: reports.vitest,
      counts: (code) => vitestCounts(reports.vitest, code),
      files: () => vitestFiles(reports.vitest, root),
    },
    {
      name: 'playwright',
      title: 'End-to-end tests: browser host and desktop app',
      args: tool('@playwright/test/cli.js', 'test', `--reporter=${isLog ? 'dot' : 'list'},json`),
      report: reports.playwright,
      needsBrowser: true,
      counts: (code) => playwrightCounts(reports.playwright, code),
      files: () => playwrightFiles(reports.playwright),
    },
  ]
}

function wantedSteps(args) {
  const names = steps().map(({ name }) => name)
  const only = args.find((argument) => argument.startsWith('--only='))
  const wanted = only === undefined ? names : only.slice('--only='.length).split(',')
  const unknown = wanted.filter((name) => !names.includes(name))
  if (unknown.length > 0 || args.some((argument) => argument !== only))
    throw new Refusal(`usage: npm test [-- --only=${names.join(',')}]`)
  return new Set(wanted)
}

/** Without a browser the other suites still run; the end-to-end suite counts as failed. */
async function browserOrNone() {
  try {
    return await ensureBrowser()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    say(error.message)
    return undefined
  }
}

/** Runs a step in a process group of its own, so that an interruption reaches everything that it started. */
function runStep(node, step, browser) {
  if (step.report) rmSync(step.report, { force: true })
  return new Promise((resolve, reject) => {
    const env = {
      ...process.env,
      PATH: [dirname(node), inProject('node_modules/.bin'), process.env.PATH].join(delimiter),
      PLAYWRIGHT_JSON_OUTPUT_FILE: reports.playwright,
      ...(browser && { LCM_CHROMIUM: browser }),
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
      // A program that was left behind may hold on to the output; what the step itself said is there by then.
      await Promise.race([Promise.all(said), new Promise((late) => setTimeout(late, GRACE_MS).unref())])
      resolve(code ?? 1)
    })
  })
}

/** Copies the lines of a stream without their colours. Resolves at its end. */
function sayPlainly(stream) {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
  lines.on('line', (line) => process.stdout.write(`${stripVTControlCharacters(line)}\n`))
  return new Promise((ended) => lines.once('close', ended))
}

/** Asks first, so that the tools close their browsers, then insists; ends this run either way. */
function stopGroup(child, signal) {
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
