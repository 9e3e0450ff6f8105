// `npm run lint`: style and common mistakes (Biome), import rules (dependency-cruiser), unused code (knip).
import { bootstrap } from './bootstrap.mjs'
import { LINT_TOOLS } from './lint-tools.mjs'
import { main } from './project.mjs'
import { runChecks } from './run-checks.mjs'

await main(async () => runChecks(await bootstrap(), LINT_TOOLS))
