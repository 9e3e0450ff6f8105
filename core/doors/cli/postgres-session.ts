import { z } from 'zod'
import { TenantName } from '#core/contract/ids.ts'
import type { Connecting, Database } from '#core/database.ts'
import {
  configuredAddress,
  type DatabaseAddress,
  parseAddress,
  passwordInEnvironment,
  replicaOf,
} from '#core/database-address.ts'
import { databases } from '#core/databases.ts'
import { LcmError } from '#core/errors.ts'
import { onStopSignal, type StopSignal } from '../stop-signals.ts'

/** After a signal, a statement has this long to be answered. */
const GRACE_MS = 1000
const LOOK_MS = 100

/** The fields of commands that connect to PostgreSQL. */
export const addressField = z.string().optional().meta({
  description: 'postgres://user@host:5432/database, without a password (default: LCM_DATABASE_URL)',
  value: 'address',
})
export const tenantField = TenantName.optional().meta({
  description: 'whose memory (default: ?tenant= of the address)',
  value: 'name',
})

/**
 * Finds the address and its password, which is never taken from an argument.
 * @throws LcmError invalid_argument
 */
export function resolveAddress(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): { readonly address: DatabaseAddress; readonly password: string | null } {
  const asked = given === undefined ? configuredAddress(env) : parseAddress(given, 'argument')
  if (asked === null) {
    throw new LcmError(
      'invalid_argument',
      'Say which database: an address such as postgres://user@host:5432/database, or the variable LCM_DATABASE_URL.',
    )
  }
  return { address: asked.address, password: asked.password ?? passwordInEnvironment(asked.address, env) }
}

/** Connects, runs the body and closes the connection, also when the body fails. The driver is loaded only now. */
export async function withPostgres<T>(
  given: string | undefined,
  body: (db: Database, address: DatabaseAddress) => Promise<T>,
): Promise<T> {
  return withConnection(resolveAddress(given, process.env), body)
}

/** Connects for work that only reads: to the replica, where there is one. */
export async function withReplica<T>(
  given: string | undefined,
  body: (db: Database, address: DatabaseAddress) => Promise<T>,
): Promise<T> {
  const resolved = resolveAddress(given, process.env)
  const replica = replicaOf(resolved.address, process.env)
  if (replica === null) return withConnection(resolved, body)
  // Its rows are those of the database, and are written back there.
  return withConnection({ ...replica, shown: resolved.address.shown }, (db) => body(db, resolved.address))
}

async function withConnection<T>(
  asked: Connecting,
  body: (db: Database, address: DatabaseAddress) => Promise<T>,
): Promise<T> {
  const { address } = asked
  const db = await (await databases()).connect(asked)
  let isCut = false
  let watch: NodeJS.Timeout | null = null
  /** The server rolls back what was under way. */
  const cut = (): void => {
    isCut = true
    void db.close()
  }
  const onInterrupt = (signal: StopSignal): void => {
    // A command that listens itself ends at its next step, unless the server does not answer.
    if (process.listenerCount(signal) === 1) cut()
    else watch ??= setInterval(() => db.waitsMs() >= GRACE_MS && cut(), LOOK_MS)
  }
  const removeListener = onStopSignal(onInterrupt)
  try {
    return await body(db, address)
  } catch (error) {
    throw isCut
      ? new LcmError(
          'cancelled',
          `Cancelled before ${address.shown} had answered, and what was under way is undone: start the command again.`,
        )
      : error
  } finally {
    removeListener()
    if (watch !== null) clearInterval(watch)
    await db.close()
  }
}
