import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { fileWithin } from './stored-path.ts'

/** What a row says of a file, and where files of its memory may lie. */
export type FilePlaces = {
  /** The memory file. */
  readonly database: string
  readonly conversationId: number
  readonly storageUri: string
  /** Folders out of which may be read: what a database says of a path is not to be trusted. */
  readonly allowed: readonly string[]
}

/** Folders of files beside a database, by the names that the systems give them. */
const STORES = ['lcm-files', 'lcm-large-outputs']

/**
 * The real path of a large file: in a folder of files beside the database, where it stands also when the database came
 * from another machine, or where its row says, when that lies in an allowed folder. Null when it is in none of them. No
 * link leads out of them, and a folder beside the database that is a link is none.
 */
export function findStoredFile({ database, conversationId, storageUri, allowed }: FilePlaces): string | null {
  if (storageUri.includes('\0')) return null
  const beside = folderOf(database)
  const steps = storageUri.replaceAll('\\', '/')
  const name = basename(steps)
  if (name === '' || name === '.' || name === '..') return null
  // Identical content stands once, perhaps in the folder of another conversation.
  const folders = new Set([String(conversationId), ...(/^\d{1,16}$/.exec(basename(dirname(steps))) ?? [])])
  for (const store of STORES) {
    const root = join(beside, store)
    if (!isOwnFolder(root)) continue
    for (const path of [...[...folders].map((folder) => join(root, folder, name)), join(root, name)]) {
      const real = fileWithin(path, root)
      if (real !== null) return real
    }
  }
  const path = isAbsolute(storageUri) ? storageUri : join(beside, storageUri)
  // To look at a path on a server would ask for it over the network.
  if (/^[\\/]{2}/.test(path)) return null
  for (const root of allowed) {
    const real = fileWithin(path, resolve(root)) ?? fileWithin(join(root, String(conversationId), name), resolve(root))
    if (real !== null) return real
  }
  return null
}

/** A memory that was moved away while it is open is still read through its open handle. */
function folderOf(database: string): string {
  try {
    return dirname(realpathSync(database))
  } catch {
    return dirname(resolve(database))
  }
}

function isOwnFolder(path: string): boolean {
  try {
    return realpathSync(path) === path
  } catch {
    return false
  }
}
