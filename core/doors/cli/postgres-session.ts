import { z } from 'zod'
import { TenantName } from '#core/contract/ids.ts'
import { LcmError } from '#core/errors.ts'
import { type PostgresAddress, parseAddress } from '#core/postgres/address.ts'
import type { Postgres } from '#core/postgres/connect.ts'
import { configuredAddress, passwordInEnvironment, replicaOf } from '#core/remote/passwords.ts'
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
): { readonly address: PostgresAddress; readonly password: string | null } {
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
  body: (db: Postgres, address: PostgresAddress) => Promise<T>,
): Promise<T> {
  return withConnection(resolveAddress(given, process.env), body)
}

/** Connects for work that only reads: to the replica, where there is one. */
export async function withReplica<T>(
  given: string | undefined,
  body: (db: Postgres, address: PostgresAddress) => Promise<T>,
): Promise<T> {
  const resolved = resolveAddress(given, process.env)
  const replica = replicaOf(resolved.address, process.env)
  // Its rows are those of the database, and are written back there.
  const ofDatabase = (db: Postgres) => body({ ...db, shown: resolved.address.shown }, resolved.address)
  return replica === null ? withConnection(resolved, body) : withConnection(replica, ofDatabase)
}

async function withConnection<T>(
  { address, password }: ReturnType<typeof resolveAddress>,
  body: (db: Postgres, address: PostgresAddress) => Promise<T>,
): Promise<T> {
  const { connectPostgres } = await import('#core/postgres/connect.ts')
  const db = await connectPostgres(address, password)
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
