// Measures how much of what questions ask for a search finds: `npm run recall -- SET.jsonl --db FILE [--embeddings PROVIDER]`.
import { runSource } from './run-source.mjs'

await runSource('test/search/recall/recall.ts')
