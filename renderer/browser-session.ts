/**
 * The secret is kept in the storage of this origin, port included, so that it is never sent to another server on this
 * machine.
 */
const KEY = 'lcm:session'
/** The token that is being exchanged, and this page's claim to it. A reload during the exchange continues with both. */
const ENTERING = 'lcm:entering'

/** What this page needs to talk to its server. */
export type Session = {
  readonly secret: string
  /** The query of the file for which the server was started, or an empty text. */
  readonly start: string
}

/** Thrown when the server runs and does not let this page in. */
export class NotEntered extends Error {
  override readonly name = 'NotEntered'
}

/**
 * Enters with the token in the address, which is spent by it and taken out of the address and the history; with the
 * secret of an earlier entry after a reload and in a second tab.
 * @throws NotEntered without either; another error when the server cannot be reached
 */
export async function enter(): Promise<Session> {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1]
  if (token !== undefined) {
    localStorage.setItem(ENTERING, `${token}.${crypto.randomUUID()}`)
    history.replaceState(null, '', location.pathname + location.search)
  }
  const session = (await exchange(localStorage.getItem(ENTERING))) ?? (await exchange(localStorage.getItem(KEY)))
  if (session !== null) localStorage.setItem(KEY, session.secret)
  localStorage.removeItem(ENTERING)
  if (session === null) throw new NotEntered('this page was opened without the address that lets it in')
  return session
}

/** Returns null for a token or secret that the server does not know. */
async function exchange(offered: string | null): Promise<Session | null> {
  if (offered === null) return null
  const response = await fetch('/session', { method: 'POST', headers: { authorization: `Bearer ${offered}` } })
  if (response.status === 401) return null
  if (!response.ok) throw new Error(`the server answered with ${response.status}`)
  return response.json()
}
