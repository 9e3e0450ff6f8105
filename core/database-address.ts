import { TENANT_RULE, TenantName } from './contract/ids.ts'
import { POSTGRES_ADDRESS } from './contract/lists.ts'
import { LcmError } from './errors.ts'
import type { Environment } from './folders.ts'

/** Where a PostgreSQL server is, and what is asked of it. The password is never part of it. */
export type DatabaseAddress = {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly tenant: string | null
  /** `verify`: TLS with a certificate that is checked. `off`: plain, for sockets, this machine and closed networks. */
  readonly tls: 'verify' | 'off'
  /** The address as it is shown and stored. */
  readonly shown: string
}

const DEFAULT_PORT = 5432
/** A hint for passwords with characters that mean something else in an address. */
const ESCAPES = '; in a password, write %25 for %, %40 for @, %23 for #, %2F for /, or put it into PGPASSWORD as it is'
/** A connection to this machine does not cross a network. */
const ON_THIS_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/

export const isDatabaseAddress = (text: string): boolean => POSTGRES_ADDRESS.test(text)

/** Where an address was given. Other users of the machine can read the arguments of a command. */
export type GivenBy = 'argument' | 'environment'

/**
 * Reads `postgres://user@host:5432/database?tenant=name&sslmode=disable`.
 * @throws LcmError invalid_argument, also for an argument that holds a password; the message never repeats the address
 */
export function parseAddress(
  text: string,
  givenBy: GivenBy,
): { readonly address: DatabaseAddress; readonly password: string | null } {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !isDatabaseAddress(text)) {
    throw new LcmError(
      'invalid_argument',
      `This is no address of a PostgreSQL database: write it as postgres://user@host:5432/database${givenBy === 'environment' ? ESCAPES : ''}.`,
    )
  }
  const hasPassword = url.password !== '' || url.searchParams.has('password')
  if (hasPassword && givenBy === 'argument') {
    throw new LcmError(
      'invalid_argument',
      'The address holds a password, and every user of this machine can read the arguments of a command: leave it out and put it into the variable PGPASSWORD, or put the whole address into LCM_DATABASE_URL.',
    )
  }
  const decoded = (part: string): string => {
    try {
      return decodeURIComponent(part)
    } catch {
      throw new LcmError(
        'invalid_argument',
        `The address has a "%" that is no escape: write %25 for it${givenBy === 'environment' ? ESCAPES : ''}.`,
      )
    }
  }
  const host = decoded(url.hostname) || url.searchParams.get('host') || 'localhost'
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port)
  const database = decoded(url.pathname.slice(1))
  if (database === '') {
    throw new LcmError(
      'invalid_argument',
      'The address names no database: write it as postgres://user@host:5432/database.',
    )
  }
  const user = decoded(url.username) || 'postgres'
  const tenant = url.searchParams.get('tenant') || null
  if (`${host}${database}${user}`.includes('\0')) {
    throw new LcmError(
      'invalid_argument',
      'The address has a NUL (%00), which no name in PostgreSQL holds: correct it.',
    )
  }
  if (tenant !== null && !TenantName.safeParse(tenant).success) {
    throw new LcmError('invalid_argument', `?tenant= in the address: ${TENANT_RULE}.`)
  }
  const tls = tlsOf(url.searchParams.get('sslmode'), host)
  const at = `${encodeURIComponent(user)}@${url.hostname || host}:${port}/${encodeURIComponent(database)}`
  const query = new URLSearchParams({
    ...(tenant === null ? {} : { tenant }),
    ...(tls === tlsOf(null, host) ? {} : { sslmode: tls === 'off' ? 'disable' : 'verify-full' }),
  })
  const shown = `postgres://${at}${query.size > 0 ? `?${query}` : ''}`
  return {
    address: { host: host.replace(/^\[|\]$/g, ''), port, database, user, tenant, tls, shown },
    password: hasPassword ? decoded(url.password) || url.searchParams.get('password') : null,
  }
}

function tlsOf(mode: string | null, host: string): DatabaseAddress['tls'] {
  switch (mode) {
    case null:
      return ON_THIS_MACHINE.test(host) || host.startsWith('/') ? 'off' : 'verify'
    case 'disable':
      return 'off'
    case 'require':
    case 'verify-ca':
    case 'verify-full':
      // A certificate that nobody checks protects from nobody, so every mode with TLS checks it.
      return 'verify'
    default:
      throw new LcmError(
        'invalid_argument',
        'sslmode is verify-full (the default across a network) or disable: choose one of them.',
      )
  }
}

/** @throws LcmError invalid_argument */
export function requireTenant(tenant: string | null | undefined): string {
  if (tenant) return tenant
  throw new LcmError('invalid_argument', 'Say whose memory is meant: --tenant, or ?tenant= in the address.')
}

/** Identifies what a password belongs to. */
export const serverOf = ({ host, port, database, user }: DatabaseAddress): string =>
  JSON.stringify([host, port, database, user])

/** The address in `LCM_DATABASE_URL` with its password, or null when the variable names none. */
export function configuredAddress(env: Environment): ReturnType<typeof parseAddress> | null {
  const url = env.LCM_DATABASE_URL?.trim() ?? ''
  return isDatabaseAddress(url) ? parseAddress(url, 'environment') : null
}

/**
 * The replica of a database, in `LCM_DATABASE_REPLICA_URL`, with its password: that of the database where it has none.
 * Null for any database but the one in `LCM_DATABASE_URL`.
 * @throws LcmError invalid_argument when the variable holds no address
 */
export function replicaOf(address: DatabaseAddress, env: Environment): ReturnType<typeof parseAddress> | null {
  const url = env.LCM_DATABASE_REPLICA_URL?.trim() ?? ''
  const configured = configuredAddress(env)
  if (url === '' || configured === null || serverOf(configured.address) !== serverOf(address)) return null
  const replica = parseAddress(url, 'environment')
  return { address: replica.address, password: replica.password ?? configured.password ?? env.PGPASSWORD ?? null }
}

/**
 * The password of `LCM_DATABASE_URL`, where it belongs to the same server, database and user, or of `PGPASSWORD`.
 */
export function passwordInEnvironment(address: DatabaseAddress, env: Environment): string | null {
  const configured = configuredAddress(env)
  const isSame = configured !== null && serverOf(configured.address) === serverOf(address)
  return (isSame ? configured.password : null) ?? env.PGPASSWORD ?? null
}
