import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Machine } from '#core/machine/machine.ts'
import { Connections } from './connections.ts'

/**
 * The agents of this computer, for a window of this installation.
 * @throws Error when the installation has no package.json, which is a fault of it
 */
export function connectionsOf({ surroundings, folders, resourcesDir }: Machine): Connections {
  const root = dirname(resourcesDir)
  const version = versionOf([root, join(root, 'app.asar')])
  return new Connections(surroundings, { root, node: process.execPath, version, dataDir: folders.data })
}

/** @param roots where package.json is: in the package, or in the archive of the desktop app */
function versionOf(roots: readonly string[]): string {
  const path = roots.map((root) => join(root, 'package.json')).find((one) => existsSync(one))
  if (path === undefined) throw new Error(`There is no package.json in ${roots.join(' or ')}.`)
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}
