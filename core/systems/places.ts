import { type Dirent, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Environment } from '../folders.ts'

/** A file that may be there. Without a label it is called by its name. */
export type Place = { readonly path: string; readonly label?: string }

export type Surroundings = {
  readonly home: string
  readonly env: Environment
  /** Where the app was started: its project may keep a memory of its own. */
  readonly cwd: string
}

const MEMORY_NAME = /\.(db|sqlite|sqlite3)$/i

/** The value of a variable that is set to something. */
export const setIn = (env: Environment, name: string): string | null => env[name]?.trim() || null

/** A name for people: the file's, or that of its folder where every file has the same. */
export function nameOfFile(path: string): string {
  const name = basename(path)
  if (name !== 'lcm.db') return name.replace(MEMORY_NAME, '')
  return basename(dirname(path)).replace(/^\./, '') || name
}

export function memoriesIn(folder: string): Place[] {
  return entries(folder)
    .filter((entry) => !entry.isDirectory() && MEMORY_NAME.test(entry.name))
    .map(({ name }) => ({ path: join(folder, name) }))
}

/** What cannot be listed holds nothing for us. */
export function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
