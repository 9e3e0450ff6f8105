// Writes resources/sample.db anew.
import { runSource } from './run-source.mjs'

await runSource('resources/make-sample.ts')
