import { z } from 'zod'
import { LcmError } from '../../errors.ts'
import { type PostgresAddress, parseAddress } from '../../postgres/address.ts'
import type { Postgres } from '../../postgres/connect.ts'
import { configuredAddress, passwordInEnvironment } from '../../remote/passwords.ts'

/** The fields of commands that connect to PostgreSQL. */
export const addressField = z.string().optional().meta({
  description: 'postgres://user@host:5432/database, without a password (default: LCM_DATABASE_URL)',
  value: 'address',
})
export const tenantField = z
  .string()
  .optional()
  .meta({ description: 'whose memory (default: ?tenant= of the address)', value: 'name' })

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
  const { address, password } = resolveAddress(given, process.env)
  const { connectPostgres } = await import('../../postgres/connect.ts')
  const db = await connectPostgres(address, password)
  try {
    return await body(db, address)
  } finally {
    await db.close()
  }
}
