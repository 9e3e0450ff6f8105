import { type Dirent, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Folder, FolderEntry } from '../contract/machine.ts'
import { LcmError } from '../errors.ts'
import { isDatabase } from '../sqlite/file-header.ts'
import { fileError, reachableStat } from '../sqlite/memory-file.ts'

const DATABASE_NAME = /\.(db|db3|sqlite|sqlite3)$/i
const TRANSCRIPT_NAME = /\.(?:jsonl|traj)(?:\.(?:reset|deleted)\..*)?$/i

/**
 * Lists a folder, subfolders first, then by name. A file is called a memory when it is an SQLite database. Its system
 * is known when it is opened.
 * @throws LcmError file_missing, file_not_readable, invalid_argument
 */
export function listFolder(given: string): Folder {
  const path = resolve(given)
  const entries = read(path)
    .map((entry) => describe(path, entry))
    .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
  const parent = dirname(path)
  return { path, parent: parent === path ? null : parent, entries }
}

function read(path: string): Dirent[] {
  try {
    if (statSync(path).isDirectory()) return readdirSync(path, { withFileTypes: true })
  } catch (error) {
    throw fileError(error, path)
  }
  throw new LcmError('invalid_argument', `${path} is a file, not a folder: give the folder that it is in.`, { path })
}

const rank = (entry: FolderEntry): number => (entry.kind === 'folder' ? 0 : 1)

function describe(folder: string, { name }: Dirent): FolderEntry {
  const path = join(folder, name)
  const found = reachableStat(path)
  if (!found) return { name, path, kind: 'file', bytes: null, modifiedAtMs: null }
  const modifiedAtMs = Math.round(found.mtimeMs)
  if (found.isDirectory()) return { name, path, kind: 'folder', bytes: null, modifiedAtMs }
  return { name, path, kind: found.isFile() ? kindOf(path, name) : 'file', bytes: found.size, modifiedAtMs }
}

function kindOf(path: string, name: string): FolderEntry['kind'] {
  if (TRANSCRIPT_NAME.test(name)) return 'transcript'
  if (!DATABASE_NAME.test(name)) return 'file'
  try {
    return isDatabase(path) ? 'memory' : 'file'
  } catch {
    // The file may not be read, which opening it reports.
    return 'file'
  }
}
