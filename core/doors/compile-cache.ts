// Why it is so: docs/decisions/0002-sources-run-as-they-are.md

import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Environment, userFolders } from '../folders.ts'

/**
 * Returns where Node may keep compiled code (`NODE_COMPILE_CACHE`): a folder in the user's own cache, created on first
 * use. Returns null when the user set another folder or switched the cache off, and when somebody else could write
 * there, because Node runs what it finds. https://nodejs.org/api/module.html#module-compile-cache
 */
export function compileCacheFolder(env: Environment): string | null {
  if (env.NODE_COMPILE_CACHE !== undefined || env.NODE_DISABLE_COMPILE_CACHE !== undefined) return null
  // Without owners and modes (Windows) only the profile of the user is known to be closed to others.
  if (process.getuid === undefined && env.LCM_CACHE_DIR) return null
  const folder = resolve(userFolders(env).cache, 'compile-cache')
  try {
    if (!isOutOfReach(existingPart(folder))) return null
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const real = realpathSync(folder)
    return isPrivate(real) && isOutOfReach(real) ? real : null
  } catch {
    // Without a folder only the time to compile is lost.
    return null
  }
}

const OTHERS_WRITE = 0o022
const STICKY = 0o1000
const ROOT = 0

/** Says whether only this user creates files in it. */
function isPrivate(folder: string): boolean {
  const own = process.getuid?.()
  const { uid, mode } = statSync(folder)
  return own === undefined || (uid === own && (mode & OTHERS_WRITE) === 0)
}

/** Says whether only this user and root can replace the folder or one above it. */
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
