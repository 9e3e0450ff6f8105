import { isDatabaseAddress } from '#core/database-address.ts'
import { LcmError } from '#core/errors.ts'
import { userFolders } from '#core/folders.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { runToEnd } from '#core/yielding.ts'
import type { CommandContext, CommandSpec, MemoryUse } from './command.ts'
import { interruptible } from './interruptible.ts'
import { resolveAddress, withReplica } from './postgres-session.ts'

/**
 * Lets a command that reads a memory work on one conversation in PostgreSQL: where --db, or else LCM_DATABASE_URL, is the
 * address of a database, the conversation is copied into a file of the cache or that file is brought up to date, and the
 * command is given the file.
 * @throws LcmError conversation_required, unsupported for a command that changes something or is of use with files alone,
 * invalid_argument, and what pulling may throw
 */
export async function onFile(spec: CommandSpec, input: object, given: CommandContext): Promise<CommandContext> {
  const use = typeof spec.memory === 'function' ? spec.memory(input as never, given) : spec.memory
  if (use === undefined) return given
  if (!isInPostgres(given.db)) {
    if (given.conversationId === undefined) return given
    throw new LcmError(
      'invalid_argument',
      '--conversation says which conversation of a database is meant, and here a file is read: leave it out.',
    )
  }
  const { address } = resolveAddress(given.db, process.env)
  const conversationId = conversationOf(spec, use, input, given, address.shown)
  if (conversationId === null) return given
  const { tenant } = address
  if (tenant === null) {
    throw new LcmError('invalid_argument', `Say whose memory is meant: ?tenant= in the address ${address.shown}.`)
  }
  const pulled = { address, tenant, conversationId }
  const { path } = await withReplica(given.db, (from) =>
    interruptible((signal) => from.pullForReading(pulled, userFolders(process.env), signal)),
  )
  const upToDate = (signal: AbortSignal): Promise<string> =>
    withReplica(
      given.db,
      async (from) => (await runToEnd(from.pullForReading(pulled, userFolders(process.env), signal))).path,
    )
  return { ...given, db: path, upToDate }
}

/** Without --db, the configured memory may be in PostgreSQL. */
function isInPostgres(db: string | undefined): boolean {
  if (db !== undefined) return isDatabaseAddress(db)
  try {
    return isDatabaseAddress(loadSettings(process.env).databasePath)
  } catch (error) {
    // A command that needs the settings reports what is wrong with them.
    if (error instanceof LcmError) return false
    throw error
  }
}

type ConversationFields = { readonly conversationId?: number; readonly conversationIds?: readonly number[] }

/** The one conversation that the command names. Null for a procedure that may need none. */
function conversationOf(
  { name }: CommandSpec,
  use: MemoryUse,
  input: ConversationFields,
  given: CommandContext,
  shown: string,
): number | null {
  const all = [given.conversationId, input.conversationId, ...(input.conversationIds ?? [])]
  const [id, ...others] = new Set(all.filter((one) => one !== undefined))
  if (use === 'changes') {
    throw new LcmError(
      'unsupported',
      `${name} changes a memory, and a conversation in ${shown} is changed in a file: "lcm pull" it with --db FILE, change that, and "lcm push" it.`,
    )
  }
  if (typeof use === 'object') {
    throw new LcmError('unsupported', `${name} works on a memory in a file, and ${shown} is a database: ${use.instead}`)
  }
  if (id === undefined) {
    if (use === 'may_read') return null
    throw new LcmError(
      'conversation_required',
      `${shown} holds many conversations: choose one with --conversation. "lcm fleet" lists them, and "lcm find" searches all of a tenant.`,
    )
  }
  if (others.length === 0) return id
  throw new LcmError(
    'invalid_argument',
    'One conversation of a database is read at a time: name one, or search all of a tenant with "lcm find".',
  )
}
