import type { Environment } from '../folders.ts'
import { isPostgresAddress, type PostgresAddress, parseAddress } from '../postgres/address.ts'
import type { KeyStore } from '../settings/key-store.ts'

/** Identifies what a password belongs to. */
export const serverOf = ({ host, port, database, user }: PostgresAddress): string =>
  JSON.stringify([host, port, database, user])

/** The address in `LCM_DATABASE_URL` with its password, or null when the variable names none. */
export function configuredAddress(env: Environment): ReturnType<typeof parseAddress> | null {
  const url = env.LCM_DATABASE_URL?.trim() ?? ''
  return isPostgresAddress(url) ? parseAddress(url, 'environment') : null
}

/**
 * The replica of a database, in `LCM_DATABASE_REPLICA_URL`, with its password: that of the database where it has none.
 * Null for any database but the one in `LCM_DATABASE_URL`.
 * @throws LcmError invalid_argument when the variable holds no address
 */
export function replicaOf(address: PostgresAddress, env: Environment): ReturnType<typeof parseAddress> | null {
  const url = env.LCM_DATABASE_REPLICA_URL?.trim() ?? ''
  const configured = configuredAddress(env)
  if (url === '' || configured === null || serverOf(configured.address) !== serverOf(address)) return null
  const replica = parseAddress(url, 'environment')
  return { address: replica.address, password: replica.password ?? configured.password ?? env.PGPASSWORD ?? null }
}

/**
 * The password of `LCM_DATABASE_URL`, where it belongs to the same server, database and user, or of `PGPASSWORD`.
 */
export function passwordInEnvironment(address: PostgresAddress, env: Environment): string | null {
  const configured = configuredAddress(env)
  const isSame = configured !== null && serverOf(configured.address) === serverOf(address)
  return (isSame ? configured.password : null) ?? env.PGPASSWORD ?? null
}

/** The slot of a password in the keychain: one for each server, database and user. */
export const ownerOf = (address: PostgresAddress) => ({
  name: `PostgreSQL ${serverOf(address)}`,
  baseUrl: 'postgres://server',
})

/** Returns the password for a server; the environment comes first, as with every setting. */
export const findPassword = async (
  address: PostgresAddress,
  env: Environment,
  keys: KeyStore | null,
): Promise<string | null> => passwordInEnvironment(address, env) ?? (await keys?.get(ownerOf(address))) ?? null
