import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Environment, userFolders } from '../folders.ts'

/**
 * Where Node may keep compiled code (`NODE_COMPILE_CACHE`): a folder in the user's own cache, made on first use. Null if
 * the user set another folder or switched the cache off, and if somebody else could write there: Node runs what it finds.
 * https://nodejs.org/api/module.html#module-compile-cache
 */
export function compileCacheFolder(env: Environment): string | null {
  if (env.NODE_COMPILE_CACHE !== undefined || env.NODE_DISABLE_COMPILE_CACHE !== undefined) return null
  // Without owners and modes (Windows) only the user's own profile is known to be closed to others.
  if (process.getuid === undefined && env.LCM_CACHE_DIR) return null
  const folder = resolve(userFolders(env).cache, 'compile-cache')
  try {
    if (!isOutOfReach(existingPart(folder))) return null
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const real = realpathSync(folder)
    return isPrivate(real) && isOutOfReach(real) ? real : null
  } catch {
    // A folder that cannot be made or looked at costs nothing but the gain.
    return null
  }
}

const OTHERS_WRITE = 0o022
const STICKY = 0o1000
const ROOT = 0

/** Nobody but this user makes files in it. */
function isPrivate(folder: string): boolean {
  const own = process.getuid?.()
  const { uid, mode } = statSync(folder)
  return own === undefined || (uid === own && (mode & OTHERS_WRITE) === 0)
}

/** Nobody but this user and root puts another folder in its place, or in that of one above it. */
function isOutOfReach(folder: string): boolean {
  const own = process.getuid?.()
  if (own === undefined) return true
  const { uid, mode } = statSync(folder)
  const isSwappable = (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0
  if ((uid !== own && uid !== ROOT) || isSwappable) return false
  return dirname(folder) === folder || isOutOfReach(dirname(folder))
}

const existingPart = (folder: string): string =>
  existsSync(folder) ? realpathSync(folder) : existingPart(dirname(folder))
