import { LcmError } from '../errors.ts'
import { type Lcm, openLcm } from '../lcm.ts'
import { loadSettings } from '../settings/settings-store.ts'

/** Options that every command on a memory takes. */
export type MemoryOptions = { readonly db?: string; readonly newer?: boolean }

/** Opens `--db` (default: the configured memory), runs the command, closes: the file is whole whatever happens. */
export async function withMemory<T>(
  options: MemoryOptions,
  body: (lcm: Lcm) => T | Promise<T>,
  open: { readonly create?: boolean; readonly readOnly?: boolean } = {},
): Promise<T> {
  const settings = loadSettings(process.env)
  const lcm = openLcm(options.db ?? settings.databasePath, { settings, allowNewer: options.newer ?? false, ...open })
  try {
    return await body(lcm)
  } finally {
    lcm.close()
  }
}

/**
 * The conversation that a command works on: the given one, or the only one.
 * @throws LcmError conversation_required when there are several, not_found when there is no such one
 */
export function chooseConversation(lcm: Lcm, given: number | undefined): number {
  const rows = lcm.stats.conversations()
  if (given !== undefined) {
    if (rows.some((row) => row.conversationId === given)) return given
    throw new LcmError('not_found', `There is no conversation ${given} in ${lcm.info.path}: "lcm stats" lists them.`)
  }
  const [only] = rows
  if (rows.length === 1 && only) return only.conversationId
  if (rows.length === 0)
    throw new LcmError('not_found', `${lcm.info.path} holds no conversation yet: import a transcript first.`)
  const ids = rows.slice(0, 12).map((row) => row.conversationId)
  throw new LcmError(
    'conversation_required',
    `${lcm.info.path} holds ${rows.length} conversations: choose one with --conversation (${ids.join(', ')}${rows.length > 12 ? ', …' : ''}).`,
  )
}
