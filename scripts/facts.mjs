// Measures how well trace, loss report, survival, probe and provenance tell what became of planted facts: `npm run facts`.
import { runSource } from './run-source.mjs'

await runSource('test/trace/facts/facts-report.ts')
