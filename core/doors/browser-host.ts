import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { isLocalPath } from '../local-path.ts'
import { type CoreHost, isRefusal, MAX_FRAME_BYTES, type Refusal } from './core-host.ts'
import { EntryTokens } from './entry-tokens.ts'
import { assetPath, cachingOf, contentSecurityPolicy, MIME_TYPES } from './web-assets.ts'

export type BrowserHostOptions = {
  readonly cores: CoreHost
  /** The folder of the built renderer. */
  readonly rendererDir: string
  /** 0 takes a free port. */
  readonly port: number
  /** The absolute path of the file that is opened when the address names none. Null shows the welcome page. */
  readonly defaultFile: string | null
  /** Opens the default file read-only when its version is newer. */
  readonly allowNewer?: boolean
  /** Called when a browser entered by a token, which is spent then. */
  readonly onEntered?: () => void
}
export type BrowserHost = {
  /**
   * The address with a token that admits one browser. A browser that was admitted can read the memories of this user.
   */
  readonly url: string
  /** Makes another such address, which expires after `validMs`. */
  newUrl(validMs?: number): string
  /** @returns whether every core ended; otherwise this process will not end by itself */
  close(): Promise<boolean>
}

/** The subprotocol of the socket. The secret is sent beside it, in a header that no page of another origin can know. */
const SUBPROTOCOL = 'lcm'
const SESSION = '/session'
/** All counts, for Prometheus. The secret is sent as a bearer token. */
const METRICS = '/metrics'
const SECRET_PREFIX = 'lcm-secret.'
const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * Serves the renderer and the contract to a browser on this machine. It listens on loopback only, and checks Host and
 * Origin against DNS rebinding and foreign pages. The page itself contains nothing of the user and is given to
 * everybody. It enters with a token in the fragment of its address, which no request and no Referer contains
 * (docs/decisions/0013-browser-entry.md).
 */
export async function startBrowserHost(options: BrowserHostOptions): Promise<BrowserHost> {
  const tokens = new EntryTokens()
  const server = createServer()
  const port = await listen(server, options.port)
  const door = new Door(options, tokens, port)
  server.on('request', (request, response) => void door.answer(request, response))
  server.on('upgrade', (request, socket, head) => {
    // A client that hangs up in the middle affects only itself.
    socket.on('error', () => socket.destroy())
    door.upgrade(request, socket, head)
  })
  const newUrl = (validMs?: number): string => `${door.origin}/#token=${tokens.issue(validMs)}`
  return {
    url: newUrl(),
    newUrl,
    close: async () => {
      door.close()
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
      return options.cores.close()
    },
  }
}

class Door {
  readonly origin: string
  readonly #host: string
  readonly #options: BrowserHostOptions
  readonly #tokens: EntryTokens
  readonly #sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: () => SUBPROTOCOL,
  })

  constructor(options: BrowserHostOptions, tokens: EntryTokens, port: number) {
    this.#options = options
    this.#tokens = tokens
    // `localhost` is not used, because it may be ::1, where another program may have the same port.
    this.#host = `127.0.0.1:${port}`
    this.origin = `http://${this.#host}`
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume()
    const policy = contentSecurityPolicy(`ws://${this.#host}`)
    response.setHeaders(new Headers({ ...SAFE_HEADERS, 'content-security-policy': policy }))
    if (request.headers.host !== this.#host) return refuse(response, 421, `This server answers at ${this.origin} only.`)
    const url = this.#addressOf(request)
    if (!url) return refuse(response, 400, 'This address cannot be read.')
    const methods = url.pathname === SESSION ? ['POST'] : ['GET', 'HEAD']
    if (!methods.includes(request.method ?? ''))
      return refuse(response, 405, `Only ${methods.join(' and ')} are answered here.`)
    if (url.pathname === SESSION) return this.#enter(request, response)
    if (url.pathname === METRICS) return this.#metrics(request, response)
    await this.#asset(url.pathname, response)
  }

  /** A WebSocket is a port to a core. The frames are the same, so it only passes them on. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = this.#addressOf(request)
    const isOurs = request.headers.host === this.#host && request.headers.origin === this.origin
    if (url?.pathname !== '/rpc' || !isOurs || !this.#hasSecret(request)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n')
      return
    }
    const file = url.searchParams.get('file') || null
    if (file !== null && file !== this.#options.defaultFile && !isLocalPath(file)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
      return
    }
    const allowNewer = url.searchParams.has('newer')
    this.#sockets.handleUpgrade(request, socket, head, (client) => this.#relay(client, file, allowNewer))
  }

  close(): void {
    for (const client of this.#sockets.clients) client.terminate()
    this.#sockets.close()
  }

  #relay(client: WebSocket, file: string | null, allowNewer: boolean): void {
    const core = this.#options.cores.connect(file, allowNewer)
    let refusal: Pick<Refusal, 'code' | 'reason'> = { code: 1011, reason: 'the core of this file has ended' }
    client.on('message', (frame, isBinary) => core.postMessage(isBinary ? frame : frame.toString()))
    client.on('close', () => core.close())
    client.on('error', () => core.close())
    core.on('message', (frame: unknown) => {
      if (isRefusal(frame)) refusal = frame
      else if (typeof frame === 'string') client.send(frame)
    })
    core.on('close', () => client.close(refusal.code, refusal.reason))
  }

  /**
   * Returns the secret for a token, and what to open. The token is in a header that a page of another origin may not
   * send without permission (CORS), in a request that names its origin.
   */
  #enter(request: IncomingMessage, response: ServerResponse): void {
    const [, offered, claim = null] =
      /^Bearer ([\w-]{20,100})(?:\.([\w-]{20,100}))?$/.exec(request.headers.authorization ?? '') ?? []
    const isOurs = request.headers.origin === this.origin
    const entered = isOurs && offered !== undefined ? this.#tokens.exchange(offered, claim) : null
    if (!entered) {
      refuse(response, 401, 'This page needs the address with its token, as "lcm serve" printed it.')
      return
    }
    const { defaultFile, allowNewer } = this.#options
    const start = new URLSearchParams(defaultFile === null ? {} : { file: defaultFile })
    if (defaultFile !== null && allowNewer) start.set('newer', '')
    response.writeHead(200, { 'content-type': MIME_TYPES['.json'] })
    response.end(JSON.stringify({ secret: entered.secret, start: start.size > 0 ? `?${start}` : '' }))
    if (entered.isFirst) this.#options.onEntered?.()
  }

  async #metrics(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, secret] = /^Bearer ([\w-]{20,100})$/.exec(request.headers.authorization ?? '') ?? []
    if (secret === undefined || !this.#tokens.isSecret(secret))
      return refuse(response, 401, 'The figures are given to who has entered: send the secret as a bearer token.')
    const { readMetrics } = await import('./metrics-page.ts')
    const { cores, defaultFile, allowNewer } = this.#options
    const text = await readMetrics(cores.connect(defaultFile, allowNewer))
    if (text === null) return refuse(response, 503, 'The core does not answer. Try again.')
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
    response.end(text)
  }

  #hasSecret(request: IncomingMessage): boolean {
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/,\s*/)
    const secret = offered.find((name) => name.startsWith(SECRET_PREFIX))?.slice(SECRET_PREFIX.length)
    return secret !== undefined && this.#tokens.isSecret(secret)
  }

  /** Returns null when a request names no address here, because anybody on this machine may send anything. */
  #addressOf({ url: target = '' }: IncomingMessage): URL | null {
    const path = target.startsWith(`${this.origin}/`) ? target.slice(this.origin.length) : target
    return /^\/(?![/\\])/.test(path) ? URL.parse(this.origin + path) : null
  }

  async #asset(pathname: string, response: ServerResponse): Promise<void> {
    const path = assetPath(this.#options.rendererDir, pathname)
    const body = path === null ? null : await readFile(path).catch(() => null)
    if (path === null || body === null) return refuse(response, 404, 'There is nothing here.')
    const type = MIME_TYPES[extname(path)] ?? 'application/octet-stream'
    response.writeHead(200, { 'content-type': type, 'cache-control': cachingOf(pathname) })
    response.end(body)
  }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${text}\n`)
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}
