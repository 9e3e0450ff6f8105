// Installs agents and connects them with a memory, to see that nothing is lost and what their models are told:
// `npm run test:hosts -- [PROGRAM …]`, of pi, claude and codex.
import { runSource } from './run-source.mjs'

await runSource('test/hosts/try-hosts.ts')
