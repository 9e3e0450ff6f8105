// Measures import, search, opening and drawing; options are passed on.
import { ensureBuild } from './ensure-build.mjs'
import { main } from './project.mjs'
import { runSource } from './run-source.mjs'

// The browser draws what was built.
await main(ensureBuild)
await runSource('test/perf/bench.ts')
