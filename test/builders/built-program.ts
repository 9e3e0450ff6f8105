import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuild } from '../../scripts/ensure-build.mjs'

// Tests that start the program, or its threads, start what is built, as users do. From the sources each start would load
// some hundred files anew.
const out = join(import.meta.dirname, '../../out/main')

/** The `lcm` command. */
export const cliPath = join(out, 'cli.js')

/** The core, as a thread. */
export const workerUrl = pathToFileURL(join(out, 'worker.js'))

/** Before a run, the end-to-end tests' too: what is built is what the sources say. */
export default async function buildWhatChanged(): Promise<void> {
  await ensureBuild()
}
