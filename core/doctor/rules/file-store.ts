import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { contentsOnServer } from '#core/systems/opening/pulled-from.ts'
import { fileRows, type StoredFileRow } from '#core/systems/records/files.ts'
import type { RuleContext } from '#core/systems/rules/rule.ts'
import { oncePerScan } from '#core/systems/rules/scanned-memory.ts'

/** The folder of files beside a database, under the name that its system uses. */
const STORE = 'lcm-files'

/** A file that a row names, and what was found. Contents are never read here. */
export type StoredFile = StoredFileRow & {
  /** The reason why the path cannot belong to the store, or null. */
  readonly outside: string | null
  /** True when the path belongs to a store of files, on this machine or another. */
  readonly isInStore: boolean
  /** The path at which the file was found, and its size. */
  readonly found: { readonly path: string; readonly bytes: number } | null
  /** True when only the server has the content, which is fetched when the file is opened. */
  readonly isOnServer: boolean
  /** True when the folder of the system's files exists on this machine. */
  readonly isStoreHere: boolean
  /** True when the name follows the system's naming rule. */
  readonly isUsualName: boolean
}

/** Finds every stored file at the path in its row or in the folder of files beside the database, once in a scan. */
export const storedFiles = oncePerScan(({ db, info, filesDir = null }: RuleContext): StoredFile[] => {
  const folder = dirname(realOf(info.path))
  const configured = filesDir === null ? null : resolve(filesDir)
  const { pulledFrom } = info
  // A relative path begins at the folder of the database. A pull puts contents into that folder, too, wherever they were.
  const placeOf = ({ uri, conversationId }: StoredFileRow): string =>
    pulledFrom !== undefined && (configured === null || !uri.startsWith(configured + sep))
      ? join(folder, STORE, String(conversationId), basename(uri.replaceAll('\\', '/')))
      : isRelative(uri)
        ? join(folder, uri)
        : uri
  const stored = fileRows(db)
  const onServer = new Set(stored.filter(contentsOnServer(db)).map(({ id }) => id))
  const rows = stored.map((row) => ({ ...row, uri: placeOf(row) }))
  const roots = new Map<string, number>()
  for (const { uri } of rows) roots.set(rootOf(uri), (roots.get(rootOf(uri)) ?? 0) + 1)
  const [mostly] = [...roots].sort((a, b) => b[1] - a[1])
  const usualRoot = mostly && mostly[1] > 1 ? mostly[0] : null
  const beside = join(folder, STORE)
  const owners = ownersOf(rows)
  const folders = new Folders()
  return rows.map((row) => {
    const owner = owners.get(row.uri)
    // Identical content is stored once, at the path of the first row.
    const named = owner && row.hash !== null && owner.hash === row.hash ? { ...owner, uri: row.uri } : row
    const outside = outsideReason(named, [usualRoot, configured])
    const local = join(beside, String(named.conversationId), basename(row.uri))
    const found = outside === null ? (folders.lookUp(local, beside) ?? folders.lookUp(row.uri, rootOf(row.uri))) : null
    const isEscape = found !== null && 'escapes' in found
    return {
      ...row,
      isInStore: basename(rootOf(row.uri)) === STORE,
      outside: isEscape ? 'a link leads out of the store' : outside,
      found: found === null || isEscape ? null : found,
      isOnServer: outside === null && found === null && onServer.has(row.id),
      isStoreHere: folders.isHere(beside) || (isLocalPath(row.uri) && folders.isHere(rootOf(row.uri))),
      isUsualName: isUsualName(basename(row.uri), named.id),
    }
  })
})

/** Returns the row of the file after which a path is named, by path. */
const ownersOf = (rows: readonly StoredFileRow[]): Map<string, StoredFileRow> =>
  new Map(
    rows
      .filter(({ id, uri, conversationId }) => {
        return basename(uri).startsWith(id) && basename(dirname(uri)) === String(conversationId)
      })
      .map((row) => [row.uri, row]),
  )

const isRelative = (uri: string): boolean =>
  uri !== '' && !/^([\\/~]|[A-Za-z][A-Za-z0-9+.-]*:)/.test(uri) && !uri.split(/[\\/]/).includes('..')

/** The name is the id, with or without an extension. */
const isUsualName = (name: string, id: string): boolean =>
  name.startsWith(id) && /^(\.[A-Za-z0-9_-]+)?$/.test(name.slice(id.length))

/** Returns the folder of the store that a path names, without the file and the folder of its conversation. */
const rootOf = (uri: string): string => dirname(dirname(uri))

/** Even inspecting a path on a server would send a request over the network. */
const isLocalPath = (uri: string): boolean => /^(\/(?!\/)|[A-Za-z]:[\\/])/.test(uri)

function outsideReason({ uri, id, conversationId }: StoredFileRow, roots: readonly (string | null)[]): string | null {
  if (uri.includes('\0') || uri.split(/[\\/]/).includes('..')) return `its path leads out of the store: ${uri}`
  if (!isLocalPath(uri)) return `its path is not one of this machine: ${uri}`
  if (!basename(uri).startsWith(id)) return `its path is not the one of this file: ${uri}`
  if (basename(dirname(uri)) !== String(conversationId))
    return `its path is not in the folder of its conversation: ${uri}`
  if (basename(rootOf(uri)) !== STORE && !roots.includes(rootOf(uri))) return `its path is outside the store: ${uri}`
  return null
}

type LocatedFile = { readonly path: string; readonly bytes: number } | { readonly escapes: true }

/** The folders of a store. Each is looked up once, because thousands of files may lie in it. */
class Folders {
  /** The real path by path. Null when it is no folder here. */
  readonly #known = new Map<string, string | null>()

  isHere(path: string): boolean {
    return this.#realOf(path) !== null
  }

  /** Returns the file at a path, or null when it is missing or not readable: either way it cannot be used. */
  lookUp(path: string, root: string): LocatedFile | null {
    if (!isLocalPath(path)) return null
    const folder = this.#realOf(dirname(path))
    const base = this.#realOf(root)
    if (folder === null || base === null) return null
    try {
      const named = join(folder, basename(path))
      const own = lstatSync(named)
      const real = own.isSymbolicLink() ? realpathSync(named) : named
      if (!real.startsWith(base + sep)) return { escapes: true }
      const stat = real === named ? own : lstatSync(real)
      return stat.isFile() ? { path: real, bytes: stat.size } : null
    } catch {
      return null
    }
  }

  #realOf(path: string): string | null {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    const real = realFolder(path)
    this.#known.set(path, real)
    return real
  }
}

function realFolder(path: string): string | null {
  try {
    const real = realpathSync(path)
    return lstatSync(real).isDirectory() ? real : null
  } catch {
    return null
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // A file that was deleted meanwhile is still read through its open handle.
    return path
  }
}
