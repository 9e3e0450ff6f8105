import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * Packs the package and installs it into an empty folder, as npm does it: the tarball under `node_modules`, and beside
 * it what the package depends on, and nothing else.
 */
export function installPackage(folder: string): void {
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
