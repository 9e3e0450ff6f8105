import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

/** How to start a program that permissions hold for: what stands before it, and with which options. */
export type OrdinaryUser = {
  readonly prefix: readonly string[]
  readonly options: { readonly uid?: number; readonly gid?: number }
}

export const isRoot = process.getuid?.() === 0
const NOBODY = 65534
/** Root, but without the right to pass over permissions. https://man7.org/linux/man-pages/man7/capabilities.7.html */
const WITHOUT_OVERRIDE = [
  'setpriv',
  '--inh-caps=-dac_override,-dac_read_search',
  '--bounding-set=-dac_override,-dac_read_search',
  '--',
]

let found: OrdinaryUser | null | undefined

/** Root may read and write whatever it likes, so its tests of permissions run as somebody else. Null: nobody else can. */
export function ordinaryUser(): OrdinaryUser | null {
  found ??= find()
  return found
}

/** Runs this Node with arguments, permissions holding. */
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

/** Whether another user can start this Node at all: not from below a home folder that only its owner may enter. */
export const nobodyCanRun = (): boolean =>
  spawnSync(process.execPath, ['--version'], { uid: NOBODY, gid: NOBODY }).status === 0

function find(): OrdinaryUser | null {
  if (!isRoot) return { prefix: [], options: {} }
  if (isRefused(WITHOUT_OVERRIDE)) return { prefix: WITHOUT_OVERRIDE, options: {} }
  return nobodyCanRun() ? { prefix: [], options: { uid: NOBODY, gid: NOBODY } } : null
}

/** Proof that it works here: a file that nobody may read is not read. */
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
