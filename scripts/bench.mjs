// Measures import, search, opening and drawing; options are passed on. With `window`, the window alone; with `peers`,
// the table of docs/benchmarks.md; with `hosts`, what agents wait for; with `--against`, beside another commit.
import { bootstrap } from './bootstrap.mjs'
import { ensureBrowser } from './ensure-browser.mjs'
import { ensureBuild } from './ensure-build.mjs'
import { main } from './project.mjs'
import { runSource } from './run-source.mjs'

const isComparing = process.argv.some((argument) => /^--against(=|$)/.test(argument))
if (isComparing) await runSource('test/perf/bench-against.ts')
else {
  const group = ['window', 'peers', 'hosts'].find((name) => name === process.argv[2])
  const isDrawing = group === undefined || group === 'window'
  await main(async () => {
    await bootstrap()
    await ensureBuild()
    if (isDrawing) await ensureBrowser()
  })
  if (!process.exitCode) await runSource(`test/perf/${group === undefined ? 'bench' : `${group}-bench`}.ts`)
}
