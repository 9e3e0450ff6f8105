import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuild } from '../../scripts/ensure-build.mjs'

// Tests that start the program or its threads start the build, as users do. From the sources each start would load
// hundreds of files.
const out = join(import.meta.dirname, '../../out/main')

/** The `lcm` command. */
export const cliPath = join(out, 'cli.js')

/** The core, as a thread. */
export const workerUrl = pathToFileURL(join(out, 'worker.js'))

/** Called before a run, also that of the end-to-end tests, so that the build agrees with the sources. */
export default async function buildWhatChanged(): Promise<void> {
  await ensureBuild()
}
