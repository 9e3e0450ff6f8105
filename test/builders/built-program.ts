import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuild } from '#scripts/ensure-build.mjs'
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

const root = join(import.meta.dirname, '../..')

/**
 * Packs the package and installs it into an empty folder, as npm does it: the tarball under `node_modules`, and beside
 * it what the package depends on, and nothing else.
 */
function installPackage(folder: string): void {
  execFileSync('npm', ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder], { cwd: root })
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  const target = join(folder, 'node_modules/lcm-inspector')
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, tarball), '-C', target, '--strip-components=1'])
  const { dependencies } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
}
