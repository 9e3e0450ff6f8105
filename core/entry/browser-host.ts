import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { CoreHost } from './core-host.ts'
import { assetPath, contentSecurityPolicy, MIME_TYPES } from './web-assets.ts'

export type BrowserHostOptions = {
  readonly cores: CoreHost
  /** Folder of the built renderer. */
  readonly rendererDir: string
  /** 0 takes a free port. */
  readonly port: number
  /** Absolute. Opened when the address names no file; null shows the welcome page. */
  readonly defaultFile: string | null
  /** Opens the default file read-only when it is of a newer version. */
  readonly allowNewer?: boolean
}
export type BrowserHost = {
  /** With the token: whoever has it can look into the memories of this user. */
  readonly url: string
  close(): Promise<void>
}

const MAX_FRAME_BYTES = 64 * 1024 * 1024
const WELCOME = 'welcome'
const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * Serves the renderer and the contract to a browser on this machine. Loopback only; Host and Origin are checked
 * against DNS rebinding and foreign pages, and every request needs the token of this run: in the address once, then in
 * a cookie that scripts cannot read.
 */
export async function startBrowserHost(options: BrowserHostOptions): Promise<BrowserHost> {
  const token = randomBytes(24).toString('base64url')
  const server = createServer()
  const port = await listen(server, options.port)
  const door = new Door(options, token, port)
  server.on('request', (request, response) => void door.page(request, response))
  server.on('upgrade', (request, socket, head) => {
    // Whoever hangs up in the middle harms nobody but itself.
    socket.on('error', () => socket.destroy())
    door.upgrade(request, socket, head)
  })
  if (options.defaultFile !== null) options.cores.prepare(options.defaultFile, options.allowNewer)
  return {
    url: `http://127.0.0.1:${port}/?token=${token}`,
    close: async () => {
      door.close()
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
      await options.cores.close()
    },
  }
}

class Door {
  readonly #options: BrowserHostOptions
  readonly #token: string
  readonly #port: number
  readonly #cookieName: string
  readonly #cookieValue: string
  readonly #sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: () => 'lcm',
  })

  constructor(options: BrowserHostOptions, token: string, port: number) {
    this.#options = options
    this.#token = token
    this.#port = port
    this.#cookieName = `lcm_${port}`
    this.#cookieValue = createHmac('sha256', token).update('cookie').digest('base64url')
  }

  async page(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const policy = contentSecurityPolicy(`ws://127.0.0.1:${this.#port}`, `ws://localhost:${this.#port}`)
    response.setHeaders(new Headers({ ...SAFE_HEADERS, 'content-security-policy': policy }))
    if (!this.#isOurHost(request)) return refuse(response, 421, 'This server answers on 127.0.0.1 only.')
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, 405, 'Only GET is answered here.')
    const url = this.#addressOf(request)
    if (!url) return refuse(response, 400, 'This address cannot be read.')
    const offered = url.searchParams.get('token')
    if (offered !== null) return this.#enter(url, offered, response)
    if (!this.#hasCookie(request)) {
      return refuse(response, 401, 'This page needs the address with its token, as "lcm serve" printed it.')
    }
    const { defaultFile, allowNewer } = this.#options
    const asksForDefault = url.pathname === '/' && !url.searchParams.has('file') && !url.searchParams.has(WELCOME)
    if (asksForDefault && defaultFile !== null) {
      return redirect(response, `/?file=${encodeURIComponent(defaultFile)}${allowNewer ? '&newer=' : ''}`)
    }
    await this.#asset(url.pathname, response)
  }

  /** A WebSocket is a port to a core; the frames are the same, so that the relay is a pipe. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = this.#addressOf(request)
    const isOurs = this.#isOurHost(request) && request.headers.origin === `http://${request.headers.host}`
    if (url?.pathname !== '/rpc' || !isOurs || !this.#hasCookie(request)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n')
      return
    }
    const file = url.searchParams.get('file') || null
    const allowNewer = url.searchParams.has('newer')
    this.#sockets.handleUpgrade(request, socket, head, (client) => this.#relay(client, file, allowNewer))
  }

  close(): void {
    for (const client of this.#sockets.clients) client.terminate()
    this.#sockets.close()
  }

  #relay(client: WebSocket, file: string | null, allowNewer: boolean): void {
    const core = this.#options.cores.connect(file, allowNewer)
    client.on('message', (frame, isBinary) => core.postMessage(isBinary ? frame : frame.toString()))
    client.on('close', () => core.close())
    client.on('error', () => core.close())
    core.on('message', (frame: string | Uint8Array) => client.send(frame))
    core.on('close', () => client.close())
  }

  #enter(url: URL, offered: string, response: ServerResponse): void {
    if (!isSame(offered, this.#token)) {
      refuse(response, 401, 'This token is not of this server: use the address that it printed.')
      return
    }
    url.searchParams.delete('token')
    const cookie = `${this.#cookieName}=${this.#cookieValue}; HttpOnly; SameSite=Strict; Path=/`
    response.setHeader('set-cookie', cookie)
    redirect(response, `${url.pathname}${url.search}`)
  }

  #hasCookie(request: IncomingMessage): boolean {
    const prefix = `${this.#cookieName}=`
    const cookies = (request.headers.cookie ?? '').split(/;\s*/)
    const value = cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length)
    return value !== undefined && isSame(value, this.#cookieValue)
  }

  /** null where a request names no address at all: anybody on this machine may send anything. */
  #addressOf(request: IncomingMessage): URL | null {
    return URL.parse(request.url ?? '/', `http://127.0.0.1:${this.#port}`)
  }

  #isOurHost(request: IncomingMessage): boolean {
    const { host } = request.headers
    return host === `127.0.0.1:${this.#port}` || host === `localhost:${this.#port}`
  }

  async #asset(pathname: string, response: ServerResponse): Promise<void> {
    const path = assetPath(this.#options.rendererDir, pathname)
    const body = path === null ? null : await readFile(path).catch(() => null)
    if (path === null || body === null) return refuse(response, 404, 'There is nothing here.')
    const type = MIME_TYPES[extname(path)] ?? 'application/octet-stream'
    response.writeHead(200, { 'content-type': type })
    response.end(body)
  }
}

function isSame(offered: string, expected: string): boolean {
  const a = Buffer.from(offered)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${text}\n`)
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location })
  response.end()
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
