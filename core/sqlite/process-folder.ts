import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from './new-file.ts'

/** Makes a folder for this process alone, and removes those of processes that ended without doing so. */
export function makeProcessFolder(parent: string, prefix: string): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(parent)) {
    const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : Number.NaN
    if (Number.isInteger(owner) && !isAlive(owner)) rmSync(join(parent, name), { recursive: true, force: true })
  }
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`))
}
