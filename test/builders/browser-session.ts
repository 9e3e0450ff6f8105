import { WebSocket } from 'ws'

/** What a page of the browser host has after it has entered. */
export type Session = { readonly origin: string; readonly secret: string; readonly start: string }

/** Enters as a page does: it exchanges the token of the address for the secret of the run. */
export async function enter(url: string): Promise<Session> {
  const { origin, hash } = new URL(url)
  const headers = { origin, authorization: `Bearer ${hash.replace('#token=', '')}` }
  const response = await fetch(`${origin}/session`, { method: 'POST', headers })
  if (response.status !== 200) throw new Error(`the browser host answered with ${response.status}`)
  const { secret, start } = (await response.json()) as { secret: string; start: string }
  return { origin, secret, start }
}

/** Opens the socket of a page on a file. */
export async function openSocket({ origin, secret }: Session, path: string | null): Promise<WebSocket> {
  const search = path === null ? '' : `?file=${encodeURIComponent(path)}`
  const protocols = ['lcm', `lcm-secret.${secret}`]
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc${search}`, protocols, { headers: { origin } })
  await new Promise((opened, failed) => {
    socket.once('open', opened)
    socket.once('error', failed)
  })
  return socket
}
