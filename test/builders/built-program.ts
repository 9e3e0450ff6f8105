import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuild } from '#scripts/ensure-build.mjs'
import { installPackage } from './packed.ts'
import { temporaryFolder } from './temporary-folder.ts'

// Tests that start the program or its threads start what people install. From the sources each start would load
// hundreds of files, and would not show what the build or the list of packed files has spoilt.
process.env.INSTALLED_PACKAGE_FOLDER ??= temporaryFolder()

/** The folder in which the packed package is installed, without anything else. One for a run and all its processes. */
export const installFolder = process.env.INSTALLED_PACKAGE_FOLDER
/** The installed package. */
export const packageFolder = join(installFolder, 'node_modules/lcm-inspector')
const out = join(packageFolder, 'out/main')

/** The `lcm` command. */
export const cliPath = join(out, 'cli.js')

/** The core, as a thread. */
export const workerUrl = pathToFileURL(join(out, 'worker.js'))

/** Called before a run, also that of the end-to-end tests, so that what is installed agrees with the sources. */
export default async function installBuild(): Promise<void> {
  await ensureBuild()
  installPackage(installFolder)
}
