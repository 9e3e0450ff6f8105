// Measures the checked out commit and another one alternately: `npm run bench -- --against <commit>`.
// Each is measured by its own benchmark, which knows its code, and the figures of both are paired by their names.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { main, Refusal, root, say } from '#scripts/project.mjs'
import { benchOptions } from './bench-options.ts'
import { checkOut, commitsToCompare } from './commit-checkout.ts'
import { compare, comparisonText, turns } from './comparison.ts'
import { inTemporaryFolder, programOutput } from './temporary-work.ts'

/** Makes the large memories before the first round, so that no round is measured in a process that made them. */
const PREPARE = `
  const { largeMemory } = await import('./test/perf/large-memory.ts')
  for (const messages of process.argv.slice(1)) await largeMemory(Number(messages), console.error)`

await main(async () => {
  const { against, rounds, messages, delay, json } = asked()
  const commits = commitsToCompare(root, against)
  await inTemporaryFolder(async (folder, stop) => {
    const sides = { old: join(folder, 'old'), new: join(folder, 'new') }
    for (const side of ['old', 'new'] as const) {
      say(`preparing ${commits[side].subject}`)
      checkOut(root, commits[side], sides[side])
      await programOutput(['scripts/build.mjs'], sides[side], stop)
      const sizes = [messages, ...(process.env.LCM_BENCH_LARGE ? ['1000000'] : [])]
      await programOutput(['--input-type=module', '--eval', PREPARE, ...sizes], sides[side], stop)
    }
    const measured: Record<'old' | 'new', unknown[]> = { old: [], new: [] }
    for (const side of turns(rounds)) {
      say(`round ${measured[side].length + 1} of ${rounds}, ${side}: ${commits[side].subject}`)
      const options = ['--messages', messages, '--delay', delay, '--json']
      measured[side].push(JSON.parse(await programOutput(['scripts/bench.mjs', ...options], sides[side], stop)))
    }
    const comparison = compare(measured.old, measured.new)
    if (json) {
      console.log(JSON.stringify({ ...commits, rounds, messages: Number(messages), ...comparison }, null, 2))
      return
    }
    console.log(`old  ${commits.old.subject}\nnew  ${commits.new.subject}`)
    const size = Number(messages).toLocaleString('en')
    console.log(
      `${size} messages, rounds: ${rounds} (medians), Node ${process.version}, ${availableParallelism()} cores\n`,
    )
    console.log(comparisonText(comparison))
  })
})

/** The options of the command. */
function asked() {
  const options = { ...benchOptions, against: { type: 'string' }, rounds: { type: 'string', default: '3' } } as const
  try {
    const { against, rounds, ...others } = parseArgs({ options }).values
    if (!against) throw new Refusal('--against needs a commit.')
    if (!/^[1-9]\d*$/.test(rounds)) throw new Refusal(`--rounds is a whole number from 1, not “${rounds}”.`)
    return { against, rounds: Number(rounds), ...others }
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) throw new Refusal(error.message)
    throw error
  }
}
