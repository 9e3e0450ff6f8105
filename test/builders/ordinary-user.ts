import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

/** How to start a program that obeys permissions: the command before it, and the options of the process. */
export type OrdinaryUser = {
  readonly prefix: readonly string[]
  readonly options: { readonly uid?: number; readonly gid?: number }
}

export const isRoot = process.getuid?.() === 0
const NOBODY = 65534
/** Root without the right to ignore permissions. https://man7.org/linux/man-pages/man7/capabilities.7.html */
const WITHOUT_OVERRIDE = [
  'setpriv',
  '--inh-caps=-dac_override,-dac_read_search',
  '--bounding-set=-dac_override,-dac_read_search',
  '--',
]

let found: OrdinaryUser | null | undefined

/**
 * Root may read and write everything, so its tests of permissions run as another user. Null when that is impossible.
 */
export function ordinaryUser(): OrdinaryUser | null {
  found ??= find()
  return found
}

/** Runs this Node with arguments under normal permissions. */
export function asOrdinaryUser(args: readonly string[]): {
  command: string
  args: string[]
  options: OrdinaryUser['options']
} {
  const user = ordinaryUser()
  if (!user) throw new Error('nobody but root can run this checkout')
  const [command = '', ...rest] = [...user.prefix, process.execPath, ...args]
  return { command, args: rest, options: user.options }
}

/** True when another user can start this Node. That fails below a home folder that only its owner may enter. */
export const nobodyCanRun = (): boolean =>
  spawnSync(process.execPath, ['--version'], { uid: NOBODY, gid: NOBODY }).status === 0

function find(): OrdinaryUser | null {
  if (!isRoot) return { prefix: [], options: {} }
  if (isRefused(WITHOUT_OVERRIDE)) return { prefix: WITHOUT_OVERRIDE, options: {} }
  return nobodyCanRun() ? { prefix: [], options: { uid: NOBODY, gid: NOBODY } } : null
}

/** Proves that permissions work here: a file that may not be read is not read. */
function isRefused(prefix: readonly string[]): boolean {
  const file = join(temporaryFolder(), 'closed')
  writeFileSync(file, '')
  chmodSync(file, 0o000)
  const [command = '', ...rest] = prefix
  const isRunning = spawnSync(command, [...rest, 'true']).status === 0
  const isReading = spawnSync(command, [...rest, 'cat', file]).status === 0
  rmSync(dirname(file), { recursive: true, force: true })
  return isRunning && !isReading
}
