import { join } from 'node:path'
import envPaths from 'env-paths'

/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

export type UserFolders = {
  /** Holds the user's own memories, the sample and the list of recent files. */
  readonly data: string
  /** Holds files that can be made again. */
  readonly cache: string
  readonly config: string
  /** The log and the counts of what this program did. */
  readonly log: string
}

/**
 * Returns where this platform keeps an app's files. `LCM_DATA_DIR` and `LCM_CACHE_DIR` override them, and the settings
 * move with the first, as does the log, unless `LCM_LOG_DIR` names its folder. Nothing is created.
 */
export function userFolders(env: Environment): UserFolders {
  const paths = envPaths('lcm-inspector', { suffix: '' })
  const data = env.LCM_DATA_DIR?.trim()
  return {
    data: data || paths.data,
    cache: env.LCM_CACHE_DIR?.trim() || paths.cache,
    config: data ? join(data, 'config') : paths.config,
    log: env.LCM_LOG_DIR?.trim() || (data ? join(data, 'log') : paths.log),
  }
}
