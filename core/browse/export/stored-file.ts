import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import type { FileInfo } from '../../contract/lineage.ts'

/** What was read of a large file, or why nothing was. Exactly one of `content` and `reason` is null. */
export type StoredContent = {
  readonly path: string | null
  readonly content: string | null
  readonly bytes: number | null
  /** True when the file continues after `content`. */
  readonly isCut: boolean
  /** A sentence for people that says why nothing was read. */
  readonly reason: string | null
}

type Request = {
  /** The path of the memory file. */
  readonly database: string
  readonly file: FileInfo
  /** The folders from which files may be read. A path that a database names is not trusted. */
  readonly allowed: readonly string[]
  readonly maxBytes: number
}

/** The names that systems give to the folder of files beside a database. */
const STORES = ['lcm-files', 'lcm-large-outputs']

/**
 * Reads a large file from the folder of files beside the database, which also works when the database came from another
 * machine, or else from its stored path if that lies in an allowed folder. No symbolic link leads out of these folders.
 */
export function readStoredFile({ database, file, allowed, maxBytes }: Request): StoredContent {
  const beside = dirname(realpathSync(database))
  const name = basename(file.storageUri.replaceAll('\\', '/'))
  const places = [
    ...STORES.flatMap((store) => [
      { root: join(beside, store), path: join(beside, store, String(file.conversationId), name) },
      { root: join(beside, store), path: join(beside, store, name) },
    ]),
    ...allowed.map((root) => {
      const path = isAbsolute(file.storageUri) ? file.storageUri : join(beside, file.storageUri)
      return { root: resolve(root), path }
    }),
  ]
  for (const { root, path } of places) {
    const real = name === '' ? null : within(path, root)
    if (real !== null) return read(real, maxBytes)
  }
  return nothing(
    null,
    `Its path is ${file.storageUri || 'not stored'}: not in a folder of files beside the memory. Allow the folder that it is in to have it read.`,
  )
}

/** Returns the real path of a plain file inside a folder, or null. */
function within(path: string, root: string): string | null {
  try {
    const real = realpathSync(path)
    return real.startsWith(realpathSync(root) + sep) && statSync(real).isFile() ? real : null
  } catch {
    return null
  }
}

function read(path: string, maxBytes: number): StoredContent {
  const { size } = statSync(path)
  const buffer = Buffer.alloc(Math.min(size, maxBytes))
  const handle = openSync(path, 'r')
  try {
    const length = readSync(handle, buffer)
    const bytes = buffer.subarray(0, length)
    if (bytes.includes(0)) return { ...nothing(path, 'It is not a text.'), bytes: size }
    // A character that the limit cut in two is left out.
    const content = new TextDecoder('utf-8').decode(bytes, { stream: length < size })
    return { path, content, bytes: size, isCut: length < size, reason: null }
  } finally {
    closeSync(handle)
  }
}

const nothing = (path: string | null, reason: string): StoredContent => ({
  path,
  content: null,
  bytes: null,
  isCut: false,
  reason,
})
