// Installs the newest versions of agents, lets them write sessions and reads those: `npm run test:agents -- [PROGRAM[@VERSION] …]`.
import { runSource } from './run-source.mjs'

await runSource('test/real-agents/try-agents.ts')
