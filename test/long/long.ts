import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'vite'
import { inProject } from '#scripts/project.mjs'
import { type Outcome, partsOf, partsOfWorks, tryCases } from './cases.ts'
import { tryLoad } from './load.ts'

// Repeats thousands of times what the other suites try a few times: `npm run test:long`. See docs/reliability.md.

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '10000' },
    mutations: { type: 'string', default: '100000' },
    /** Of load. */
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Of so many writes one is cut off by a full disk and a loss of power. */
    every: { type: 'string', default: '1' },
    /** The number of the first kill and of the first mutation, to repeat one. */
    from: { type: 'string', default: '0' },
  },
})
const [kills, mutations, minutes, seed, every, from] = [
  values.kills,
  values.mutations,
  values.minutes,
  values.seed,
  values.every,
  values.from,
].map(Number) as [number, number, number, number, number, number]

const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** Programs that are started thousands of times are put into one file each, which starts three times as fast. */
async function builtPrograms(): Promise<string> {
  const outDir = inProject('node_modules/.cache/long')
  await build({
    configFile: false,
    root: inProject(),
    logLevel: 'error',
    ssr: { noExternal: true, external: ['better-sqlite3', 'pg'] },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      copyPublicDir: false,
      rolldownOptions: {
        input: [inProject('test/long/case-process.ts'), inProject('test/long/cut-off-work.ts')],
        output: { entryFileNames: '[name].mjs' },
      },
    },
  })
  return join(outDir, 'case-process.mjs')
}

/** So many cases share a process. */
const TOGETHER = { kills: 200, mutations: 500 }

say(`seed ${seed}`)
const running = { program: await builtPrograms(), say }
const numbered = (count: number, together: number) => partsOf({ seed, from, to: from + count }, together)
const outcomes: Outcome[] = []
if (kills > 0) outcomes.push(await tryCases('kills', numbered(kills, TOGETHER.kills), running))
if (every > 0)
  for (const kind of ['losses of power', 'full disks'] as const)
    outcomes.push(await tryCases(kind, partsOfWorks(seed, every), running))
if (mutations > 0) outcomes.push(await tryCases('mutations', numbered(mutations, TOGETHER.mutations), running))
if (minutes > 0) outcomes.push(await tryLoad(minutes, say))

console.log(`\nseed ${seed}\n\n| what | cases | with a fault | minutes | |\n|---|--:|--:|--:|---|`)
for (const { kind, cases, faults, seconds, note } of outcomes)
  console.log(`| ${kind} | ${cases} | ${faults} | ${(seconds / 60).toFixed(1)} | ${note} |`)
for (const { kind, first } of outcomes) if (first !== null) console.log(`\nfirst of ${kind}: ${first}`)
if (outcomes.some(({ faults }) => faults > 0)) process.exitCode = 1
