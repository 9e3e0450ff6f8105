// Why it is so: docs/decisions/0002-sources-run-as-they-are.md
import { enableCompileCache } from 'node:module'
import { LcmError as CoreError } from '#core/errors.ts'
import { compileCacheFolder } from '../compile-cache.ts'
import type * as declared from './api.ts'

export const LcmError: typeof declared.LcmError = CoreError

/** The SQLite binding crashes an older Node instead of failing. */
const OLDEST_NODE = 24

/** Loads the program with the first memory: Node keeps what it compiles only from the moment at which it is told where. */
export const openLcm: typeof declared.openLcm = async (path, options) => {
  const { node } = process.versions
  if (Number(node.split('.')[0]) < OLDEST_NODE) {
    throw new CoreError('unsupported', `This is Node ${node}, and lcm-inspector needs Node ${OLDEST_NODE} or newer.`)
  }
  const compileCache = compileCacheFolder(process.env)
  if (compileCache !== null) enableCompileCache(compileCache)
  const { openLibrary } = await import('./open-library.ts')
  return openLibrary(path, options)
}
