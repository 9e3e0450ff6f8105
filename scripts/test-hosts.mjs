// Installs agents and connects them with a memory, to see that nothing is lost and what their models are told:
// `npm run test:hosts -- [HOST …]`, of pi, opencode, openclaw, claude-code and codex.
import { runSource } from './run-source.mjs'

await runSource('test/hosts/try-hosts.ts')
