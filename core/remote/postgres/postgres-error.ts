import { LcmError } from '#core/errors.ts'

/** PostgreSQL's code for an error, such as `42501`, or Node's for a connection, such as `ECONNREFUSED`. */
function postgresCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : null
}

/** Codes after which the same transaction may succeed. https://www.postgresql.org/docs/15/errcodes-appendix.html */
const CONCURRENT: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])
const BROKEN_OFF = /^(ECONNRESET|EPIPE|08003|08006|57P0[12])$/
const UNREACHABLE = /^(E(CONN|HOST|NET|PIPE|TIMEDOUT)|08|57P0)/
const CERTIFICATE = /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_/

export const noTables = (shown: string): LcmError =>
  new LcmError(
    'server_refused',
    `${shown} has no tables of LCM Inspector yet: the owner of the database makes them with "lcm pg migrate".`,
  )

/** A statement that failed, and whose rows were meant. */
type FailedStatement = { readonly sql: string; readonly tenant: string | null }

/** What a statement needs, by its words: the first that fits. The roles and their rights are in `schema.ts`. */
const NEEDED: readonly (readonly [statement: RegExp, role: string, act: string])[] = [
  [
    /(INSERT INTO\s+|nextval\(')lcm\.(tenants|sessions|conversations|messages|conversation_ids)\b/i,
    'lcm_writer',
    'make conversations or add messages',
  ],
  [/(INSERT INTO|UPDATE|DELETE FROM)\s+lcm\./i, 'lcm_worker', 'write'],
  [/\blcm\./i, 'lcm_inspector', 'read'],
]

/** How PostgreSQL calls the place where it refuses a row, in every language: row-level security, and not a right. */
const ROW_REFUSED = 'ExecWithCheckOptions'

function notAllowed(error: Error, shown: string, { sql, tenant }: FailedStatement): string {
  const user = decodeURIComponent(URL.parse(shown)?.username ?? '') || 'Your user'
  if (/\bCREATE (SCHEMA|TABLE|EXTENSION|FUNCTION)\b/i.test(sql)) {
    return `${user} may not make or update the tables in ${shown}: run "lcm pg migrate" as the owner of the database.`
  }
  if ('routine' in error && error.routine === ROW_REFUSED) {
    return `${user} may not see the tenant ${tenant ?? ''} in ${shown}: the owner of the tables allows it with INSERT INTO lcm.tenant_access VALUES (${literal(user)}, ${literal(tenant ?? '*')});`
  }
  const [, role, act] = NEEDED.find(([statement]) => statement.test(sql)) ?? []
  if (role === undefined)
    return `${user} may not do this in ${shown}: ask its owner for the right, or use another user.`
  const others =
    role === 'lcm_inspector' ? '; lcm_worker may also compact and push repairs, and lcm_writer also add messages' : ''
  return `${user} may not ${act} in ${shown}: an administrator of the database grants it the role ${role} with GRANT ${role} TO ${identifier(user)}; ("lcm pg roles" prints the SQL that makes the roles${others}).`
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * Translates errors of PostgreSQL and its connection, in this place only. Neither texts of rows nor passwords get into
 * the message: PostgreSQL's own `detail` repeats values of rows and is left out.
 */
export function translatePostgresError(
  error: unknown,
  shown: string,
  asked: FailedStatement = { sql: '', tenant: null },
): unknown {
  if (error instanceof LcmError || !(error instanceof Error)) return error
  const code = postgresCode(error) ?? ''
  const make = (name: LcmError['code'], message: string): LcmError =>
    new LcmError(name, message, { address: shown, postgres: code })
  if (CONCURRENT.has(code)) {
    return make('locked', `Another program is writing to the same conversation in ${shown}: try again in a moment.`)
  }
  if (code === '57014') {
    return make(
      'locked',
      `${shown} did not answer within the time limit of a statement: try again when it is less busy.`,
    )
  }
  // The driver has no code for a password that the server asks for and nobody gave.
  if (code.startsWith('28') || /^SASL: /.test(error.message)) {
    return make(
      'server_refused',
      `${shown} refused the login: check the user, and give the password in the variable PGPASSWORD.`,
    )
  }
  if (code === '42501') {
    return make('server_refused', notAllowed(error, shown, asked))
  }
  if (code === '3D000')
    return make('server_refused', `${shown} has no such database: create it, or correct the address.`)
  if (code === '3F000' || code === '42P01') {
    return noTables(shown)
  }
  if (CERTIFICATE.test(code)) {
    return make(
      'server_refused',
      `The certificate of ${shown} cannot be verified (${code}): give the authority in NODE_EXTRA_CA_CERTS.`,
    )
  }
  if (/does not support SSL/i.test(error.message)) {
    return make(
      'server_refused',
      `${shown} does not offer TLS: switch it on at the server, or add ?sslmode=disable on a network that nobody else uses.`,
    )
  }
  if (/^(ENOTFOUND|EAI_)/.test(code)) {
    return make(
      'server_unavailable',
      `The host of ${shown} is not found (${code}): check its name in the address, and the network.`,
    )
  }
  if (BROKEN_OFF.test(code) || /terminated|connection ended|connection error|client was closed/i.test(error.message)) {
    return make(
      'server_unavailable',
      `The connection to ${shown} broke off${code && ` (${code})`}: check that the server runs, and try again.`,
    )
  }
  if (UNREACHABLE.test(code) || /timeout/i.test(error.message)) {
    return make(
      'server_unavailable',
      `${shown} cannot be reached (${code || 'no answer'}): check that the server runs.`,
    )
  }
  if (code.startsWith('23')) {
    return make('conflict', `${shown} refused rows that contradict stored ones (${code}): nothing was written.`)
  }
  // Anything with a code of five characters comes from the server; the rest is a bug of this program.
  return /^[0-9A-Z]{5}$/.test(code)
    ? make('server_failed', `${shown} failed (${code}): see the log of the server.`)
    : error
}
