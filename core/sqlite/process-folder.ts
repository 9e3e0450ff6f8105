import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processKey, stateByKey } from './process-mark.ts'

/** The random end that `mkdtemp` gives a name. */
const RANDOM_END = /-[A-Za-z0-9]{6}$/
const TEMPORARY = 'lcm-'

/**
 * Makes a folder for this process alone, and removes those of processes that ended without doing so. A folder whose
 * owner may still run, also on another computer, stays.
 */
export function makeProcessFolder(parent: string, prefix: string): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  removeLeftovers(parent, prefix)
  return mkdtempSync(join(parent, `${prefix}${processKey()}-`))
}

/**
 * Makes a folder for this process alone in the system's folder for temporary files, and removes what ended processes of
 * this user left there, for whatever they had made it.
 */
export function makeTemporaryFolder(purpose: string): string {
  removeLeftovers(tmpdir(), TEMPORARY)
  return mkdtempSync(join(tmpdir(), `${TEMPORARY}${purpose}-${processKey()}-`))
}

function removeLeftovers(parent: string, prefix: string): void {
  for (const name of namesIn(parent)) {
    if (!name.startsWith(prefix) || !RANDOM_END.test(name)) continue
    if (stateByKey(name.replace(RANDOM_END, '')) !== 'ended') continue
    try {
      if (isOwn(join(parent, name))) rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // Another process may be removing it.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // The user may be allowed to make folders in it and not to list it.
    return []
  }
}

/** Other users may make whatever they like in a folder that all share. */
function isOwn(path: string): boolean {
  const found = lstatSync(path)
  return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid())
}
