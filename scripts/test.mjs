// `npm test`: installs what is missing, runs every suite, ends with the counts.
// A developer may run a part of it: npm test -- --only=types,lint,unit (`npm run test:core`), and of the tests of
// Vitest only some files: npm test -- --only=unit test/compare/coverage
import { mkdirSync } from 'node:fs'
import { bootstrap } from './bootstrap.mjs'
import { ensureBrowser } from './ensure-browser.mjs'
import { inProject, main, Refusal, root, say } from './project.mjs'
import { isLog, runStep, vitestArgs } from './run-step.mjs'
import {
  flakyTests,
  limitSkips,
  MOST_SKIPPED,
  playwrightCounts,
  stepCounts,
  sum,
  table,
  vitestCounts,
} from './test-counts.mjs'
import { playwrightFiles, slowest, vitestFiles } from './test-slowest.mjs'

const reports = {
  unit: inProject('test-results/unit.json'),
  whole: inProject('test-results/whole.json'),
  contract: inProject('test-results/contract.json'),
  playwright: inProject('test-results/playwright.json'),
}

await main(async () => {
  const { wanted, paths } = request(process.argv.slice(2))
  const node = await bootstrap()
  const browser = wanted.has('playwright') || wanted.has('contract') ? await browserOrNone() : undefined
  mkdirSync(inProject('test-results'), { recursive: true })
  const rows = []
  for (const step of steps(paths)) {
    if (!wanted.has(step.name)) continue
    console.log(`\n── ${step.title} ${'─'.repeat(Math.max(0, 70 - step.title.length))}`)
    const startedAtMs = Date.now()
    const code = step.needsBrowser && !browser ? 1 : await runStep(node, step, environment(browser))
    const seconds = (Date.now() - startedAtMs) / 1000
    console.log(`── ${step.name}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds.toFixed(1)} s`)
    rows.push({ name: step.name, seconds, ...step.counts(code) })
    if (code !== 0) process.exitCode = 1
  }
  const total = limitSkips(sum(rows))
  if (total.failed > 0) process.exitCode = 1
  const files = steps().flatMap(({ name, files }) => (wanted.has(name) && files ? files() : []))
  if (files.length > 0) console.log(`\nslowest files\n${slowest(files)}`)
  console.log(`\n${table(rows)}\n`)
  const flaky = wanted.has('playwright') ? flakyTests(reports.playwright) : []
  if (flaky.length > 0) console.log(`passed at the second attempt only:\n  ${flaky.join('\n  ')}\n`)
  if (total.skipped > MOST_SKIPPED) console.log(`Failed: more than ${MOST_SKIPPED} tests were skipped.`)
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
})

function steps(paths = []) {
  const tool = (path, ...args) => [inProject('node_modules', path), ...args]
  return [
    { name: 'types', title: 'Types', args: [inProject('scripts/types.mjs')], counts: stepCounts },
    { name: 'lint', title: 'Lint', args: [inProject('scripts/lint.mjs')], counts: stepCounts },
    { name: 'build', title: 'Build', args: [inProject('scripts/build.mjs')], counts: stepCounts },
    vitestStep('unit', 'Unit and property tests', paths),
    vitestStep('whole', 'Whole files of every system, and whole memories', paths),
    vitestStep('contract', 'Tests of processes: contract, command line, threads, security', paths),
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

function vitestStep(name, title, paths) {
  return {
    name,
    title,
    args: vitestArgs(reports[name], `--project=${name}`, '--passWithNoTests', ...paths),
    report: reports[name],
    counts: (code) => vitestCounts(reports[name], code),
    files: () => vitestFiles(reports[name], root),
  }
}

/** Returns the requested steps, and the requested test files of Vitest. Without a path all of them run. */
function request(args) {
  const names = steps().map(({ name }) => name)
  const only = args.find((argument) => argument.startsWith('--only='))
  const paths = args.filter((argument) => !argument.startsWith('--'))
  const wanted = only === undefined ? names : only.slice('--only='.length).split(',')
  const unknown = wanted.filter((name) => !names.includes(name))
  if (unknown.length > 0 || args.some((argument) => argument !== only && !paths.includes(argument)))
    throw new Refusal(`usage: npm test [-- --only=${names.join(',')} [TEST FILE…]]`)
  return { wanted: new Set(wanted), paths }
}

function environment(browser) {
  return { PLAYWRIGHT_JSON_OUTPUT_FILE: reports.playwright, ...(browser && { LCM_CHROMIUM: browser }) }
}

/** Without a browser the other suites still run, and the end-to-end suite counts as failed. */
async function browserOrNone() {
  try {
    return await ensureBrowser()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    say(error.message)
    return undefined
  }
}
