import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

const root = join(import.meta.dirname, '../..')
let folder: string | undefined

/**
 * An empty folder into which the packed package is installed, as npm does it: the tarball under `node_modules`, and
 * beside it what the package depends on, and nothing else.
 */
export function installedPackage(dependencies: readonly string[]): string {
  if (folder !== undefined) return folder
  const made = temporaryFolder()
  execFileSync('npm', ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', made], { cwd: root })
  const tarball = readdirSync(made).find((name) => name.endsWith('.tgz')) ?? ''
  const target = join(made, 'node_modules/lcm-inspector')
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', join(made, tarball), '-C', target, '--strip-components=1'])
  for (const name of dependencies) {
    mkdirSync(dirname(join(made, 'node_modules', name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(made, 'node_modules', name))
  }
  folder = made
  return made
}
