// Custom protocols. Chromium cannot be taught a scheme from outside, so `app://bundle/x` is loaded as
// `http://bundle.app.localhost/x`, a secure context whose requests the app's own `protocol.handle` answers.
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { app } from './app.mjs'

const handlers = new Map()
const REAL = /^http:\/\/(?<host>[^/]*)\.(?<scheme>[a-z][a-z0-9+-]*)\.localhost(?<rest>[/?#].*)?$/
const VIRTUAL = /^(?<scheme>[a-z][a-z0-9+-]*):\/\/(?<host>[^/?#]*)(?<rest>[/?#].*)?$/

export const protocol = {
  registerSchemesAsPrivileged() {
    if (app.isReady()) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
  },
  handle(scheme, handler) {
    if (!app.isReady()) throw new Error('protocol.handle needs a ready app')
    if (handlers.has(scheme)) throw new Error(`The scheme ${scheme} has been registered`)
    handlers.set(scheme, handler)
  },
  unhandle(scheme) {
    handlers.delete(scheme)
  },
  isProtocolHandled: (scheme) => handlers.has(scheme),
}

/** The address that Chromium loads for one that the app names. */
export function toReal(url) {
  const { scheme, host, rest = '/' } = VIRTUAL.exec(url)?.groups ?? {}
  return handlers.has(scheme) ? `http://${host}.${scheme}.localhost${rest}` : url
}

/** The address that the app knows for one that Chromium reports. */
export function toVirtual(url) {
  const { scheme, host, rest = '/' } = REAL.exec(url)?.groups ?? {}
  return handlers.has(scheme) ? `${scheme}://${host}${rest}` : url
}

/** Starts the server behind the custom schemes; answers with the rules that lead Chromium to it. */
export async function startProtocolServer() {
  const server = createServer((request, response) => void answer(request, response))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return `MAP *.localhost 127.0.0.1:${server.address().port}`
}

async function answer(request, response) {
  const url = toVirtual(`http://${request.headers.host}${request.url}`)
  const handler = handlers.get(url.split(':')[0])
  if (!handler) {
    response.writeHead(404).end()
    return
  }
  try {
    const result = await handler(asFetchRequest(url, request))
    response.writeHead(result.status, Object.fromEntries(result.headers))
    if (result.body) Readable.fromWeb(result.body).pipe(response)
    else response.end()
  } catch (error) {
    console.error(`protocol.handle failed for ${url}:`, error)
    response.writeHead(500).end()
  }
}

function asFetchRequest(url, request) {
  const { host: _, connection: __, ...headers } = request.headers
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
  const body = hasBody ? { body: Readable.toWeb(request), duplex: 'half' } : {}
  return new Request(url, { method: request.method, headers, ...body })
}
