import { join } from 'node:path'
import envPaths from 'env-paths'

/** Values by variable name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

export type UserFolders = {
  /** Memories of the user's own, the sample, recent files. */
  readonly data: string
  /** Whatever can be made again. */
  readonly cache: string
  readonly config: string
}

/**
 * Where this platform keeps an app's files; `LCM_DATA_DIR` and `LCM_CACHE_DIR` override, and with the first the settings
 * move along. Nothing is created.
 */
export function userFolders(env: Environment): UserFolders {
  const paths = envPaths('lcm-inspector', { suffix: '' })
  const data = env.LCM_DATA_DIR?.trim()
  return {
    data: data || paths.data,
    cache: env.LCM_CACHE_DIR?.trim() || paths.cache,
    config: data ? join(data, 'config') : paths.config,
  }
}
