// Installs agents and connects them with a memory, to see what their models are told: `npm run test:hosts -- [PROGRAM …]`.
import { runSource } from './run-source.mjs'

await runSource('test/real-agents/try-hooks.ts')
