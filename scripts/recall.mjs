// Measures how much of what questions ask for a search finds: `npm run recall -- SET.jsonl --db FILE`.
import { runSource } from './run-source.mjs'

await runSource('test/recall/recall.ts')
