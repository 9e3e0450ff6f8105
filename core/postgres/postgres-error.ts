import { LcmError } from '../errors.ts'

/** PostgreSQL's code for an error, such as `42501`, or Node's for a connection, such as `ECONNREFUSED`. */
function postgresCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : null
}

/** Codes after which the same transaction may succeed. https://www.postgresql.org/docs/15/errcodes-appendix.html */
const CONCURRENT: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])
const BROKEN_OFF = /^(ECONNRESET|EPIPE|08003|08006|57P0[12])$/
const UNREACHABLE = /^(E(CONN|HOST|NET|PIPE|AI_|TIMEDOUT)|ENOTFOUND|08|57P0)/
const CERTIFICATE = /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_/

export const noTables = (shown: string): LcmError =>
  new LcmError(
    'server_refused',
    `${shown} has no tables of LCM Inspector yet: the owner of the database makes them with "lcm pg migrate".`,
  )

/**
 * Translates errors of PostgreSQL and its connection, in this place only. Neither texts of rows nor passwords get into
 * the message: PostgreSQL's own `detail` repeats values of rows and is left out.
 */
export function translatePostgresError(error: unknown, shown: string): unknown {
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
    return make(
      'server_refused',
      `The role of ${shown} may not do this: grant it one of the roles of "lcm pg roles", or use another user. Tables are made by the owner of the database.`,
    )
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
