// Measures import, search, opening and drawing; options are passed on.
import { runSource } from './run-source.mjs'

await runSource('test/perf/bench.ts')
