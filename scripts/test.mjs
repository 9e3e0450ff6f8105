// `npm test`: installs what is missing, runs every suite, ends with the counts.
// A developer may run a part of it: npm test -- --only=types,lint,build,vitest,playwright
import { mkdirSync } from 'node:fs'
import { bootstrap } from './bootstrap.mjs'
import { ensureBrowser } from './ensure-browser.mjs'
import { inProject, main, Refusal, root, say } from './project.mjs'
import { isLog, runStep, vitestArgs } from './run-step.mjs'
import { playwrightCounts, stepCounts, sum, table, vitestCounts } from './test-counts.mjs'
import { playwrightFiles, slowest, vitestFiles } from './test-slowest.mjs'

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
    const code = step.needsBrowser && !browser ? 1 : await runStep(node, step, environment(browser))
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
      args: vitestArgs(reports.vitest),
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

const environment = (browser) => ({
  PLAYWRIGHT_JSON_OUTPUT_FILE: reports.playwright,
  ...(browser && { LCM_CHROMIUM: browser }),
})

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
