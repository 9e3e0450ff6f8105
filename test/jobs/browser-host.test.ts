import './private-home.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type BrowserHost, startBrowserHost } from '../../core/entry/browser-host.ts'
import { CoreHost } from '../../core/entry/core-host.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { resourcesDir, startCores } from './core-client.ts'

const folder = temporaryFolder()
const rendererDir = join(folder, 'renderer')
let host: BrowserHost
let port: number
let token: string
let cookie: string

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: string }

/** As any program on this machine may ask: nothing is tidied up on the way, unlike with `fetch`. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    asked.on('error', reject)
    asked.end()
  })
}

/** Bytes as they are; answers with the first line that comes back. */
function send(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.once('data', (data) => {
      resolve(data.toString('latin1').split('\r\n')[0] ?? '')
      socket.destroy()
    })
    socket.once('error', () => resolve('hung up'))
    socket.once('close', () => resolve('hung up'))
  })
}

function upgrade(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, ['lcm'], { headers })
    socket.on('open', () => {
      resolve(101)
      socket.close()
    })
    socket.on('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    socket.on('error', () => undefined)
  })
}

beforeAll(async () => {
  mkdirSync(join(rendererDir, 'assets'), { recursive: true })
  writeFileSync(join(rendererDir, 'index.html'), '<title>The page</title>')
  writeFileSync(join(rendererDir, 'assets/page.js'), 'void 0')
  writeFileSync(join(folder, 'secret.txt'), 'not for the page')
  host = await startBrowserHost({ cores: startCores(), rendererDir, port: 0, defaultFile: '/memory/of mine.db' })
  const url = new URL(host.url)
  port = Number(url.port)
  token = url.searchParams.get('token') ?? ''
  const entered = await ask(`/?token=${token}`)
  cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
})
afterAll(() => host.close())

const withCookie = () => ({ cookie })

describe('the door of the browser host', () => {
  it('stays shut without a token', async () => {
    for (const path of ['/', '/index.html', '/assets/page.js', '/nothing', '/rpc'])
      expect((await ask(path)).status).toBe(401)
    expect((await ask('/')).body).toContain('lcm serve')
  })

  it('stays shut for a wrong token and a wrong cookie', async () => {
    for (const wrong of ['', 'x', `${token}x`, token.slice(1)]) expect((await ask(`/?token=${wrong}`)).status).toBe(401)
    expect((await ask('/', { cookie: `lcm_${port}=${'x'.repeat(43)}` })).status).toBe(401)
    expect((await ask('/', { cookie: `lcm_${port}=${token}` })).status).toBe(401)
  })

  it('turns the token into a cookie that no script and no other site gets, and takes it out of the address', async () => {
    const answer = await ask(`/?token=${token}&file=%2Fa.db`)
    expect(answer.status).toBe(302)
    expect(answer.headers.location).toBe('/?file=%2Fa.db')
    const given = String(answer.headers['set-cookie'])
    expect(given).toMatch(/; HttpOnly/)
    expect(given).toMatch(/; SameSite=Strict/)
    expect(given).not.toContain(token)
    expect(answer.headers['referrer-policy']).toBe('no-referrer')
  })

  it('opens with the cookie, on the file that was asked for', async () => {
    expect((await ask('/', withCookie())).headers.location).toBe('/?file=%2Fmemory%2Fof%20mine.db')
    expect(await ask('/?file=%2Fa.db', withCookie())).toMatchObject({ status: 200, body: '<title>The page</title>' })
    expect(await ask('/?welcome=', withCookie())).toMatchObject({ status: 200 })
    expect(await ask('/assets/page.js', withCookie())).toMatchObject({ status: 200, body: 'void 0' })
  })

  it('has another token each time', async () => {
    const other = await startBrowserHost({ cores: startCores(), rendererDir, port: 0, defaultFile: null })
    expect(new URL(other.url).searchParams.get('token')).not.toBe(token)
    expect(token.length).toBeGreaterThanOrEqual(32)
    await other.close()
  })

  it('answers on loopback only, under its own name only', async () => {
    expect(new URL(host.url).hostname).toBe('127.0.0.1')
    for (const name of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `127.0.0.1.evil.example:${port}`,
    ])
      expect((await ask('/', { host: name, ...withCookie() })).status).toBe(421)
    expect((await ask('/?file=x', { host: `localhost:${port}`, ...withCookie() })).status).toBe(200)
  })

  it('answers GET and HEAD only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect((await ask('/', withCookie(), method)).status).toBe(405)
    expect(await ask('/?file=x', withCookie(), 'HEAD')).toMatchObject({ status: 200, body: '' })
  })

  it('gives nothing from outside the folder of the page', async () => {
    const paths = [
      '/../secret.txt',
      '/..%2fsecret.txt',
      '/%2e%2e/secret.txt',
      '/%2e%2e%2fsecret.txt',
      '/assets/../../secret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
      '/..%5csecret.txt',
      `//${encodeURIComponent(join(folder, 'secret.txt'))}`,
      '/%00',
      '/index.html%00.js',
      '/%E0%A4%A',
      '/assets',
      '/nothing.js',
    ]
    for (const path of paths) {
      const answer = await ask(path, withCookie())
      expect([400, 404], path).toContain(answer.status)
      expect(answer.body).not.toContain('not for the page')
    }
  })

  it('sends a strict policy with every answer, refusals included', async () => {
    const answers = [
      await ask('/?file=x', withCookie()),
      await ask('/assets/page.js', withCookie()),
      await ask('/nothing', withCookie()),
      await ask('/'),
    ]
    for (const { headers } of answers) {
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self';")
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(policy.match(/ws:\S+/g)).toEqual([`ws://127.0.0.1:${port}`, `ws://localhost:${port};`])
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      })
    }
  })

  it('survives whatever is sent to it', async () => {
    const name = `Host: 127.0.0.1:${port}`
    expect(await send(`GET // HTTP/1.1\r\n${name}\r\n\r\n`)).toMatch(/^HTTP\/1.1 4\d\d/)
    expect(await send(`GET http://[::bad HTTP/1.1\r\n${name}\r\n\r\n`)).toMatch(/^(HTTP\/1.1 4\d\d|hung up)/)
    expect(await send(`GET //[ HTTP/1.1\r\n${name}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)).toMatch(
      /401|400|hung up/,
    )
    expect(await send('\0\0\0\0 nonsense\r\n\r\n')).toMatch(/400|hung up/)
    expect((await ask('/?file=x', withCookie())).status).toBe(200)
  })
})

describe('the socket of the browser host', () => {
  const own = () => ({ origin: `http://127.0.0.1:${port}`, cookie })

  it('opens for our own page', async () => {
    expect(await upgrade('/rpc', own())).toBe(101)
  })

  it('stays shut for a foreign or missing origin, a missing cookie, another path, a foreign host', async () => {
    expect(await upgrade('/rpc', { ...own(), origin: 'http://evil.example' })).toBe(401)
    expect(await upgrade('/rpc', { ...own(), origin: `http://127.0.0.1:${port + 1}` })).toBe(401)
    expect(await upgrade('/rpc', { ...own(), origin: 'null' })).toBe(401)
    expect(await upgrade('/rpc', { cookie })).toBe(401)
    expect(await upgrade('/rpc', { origin: own().origin })).toBe(401)
    expect(await upgrade(`/rpc?token=${token}`, { origin: own().origin })).toBe(401)
    expect(await upgrade('/other', own())).toBe(401)
    expect(await upgrade('/rpc', { host: 'evil.example', origin: 'http://evil.example', cookie })).toBe(401)
  })

  it('closes with a core that is gone, so that the page can connect anew', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const crashing = new CoreHost({
      workerUrl: new URL('./children/crashing-worker.ts', import.meta.url),
      resourcesDir,
    })
    const other = await startBrowserHost({ cores: crashing, rendererDir, port: 0, defaultFile: null })
    const { origin } = new URL(other.url)
    const entered = await fetch(other.url, { redirect: 'manual' })
    const headers = { origin, cookie: entered.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    for (const attempt of ['first', 'second']) {
      const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`, ['lcm'], { headers })
      await new Promise((open) => socket.once('open', open))
      const closed = new Promise((done) => socket.once('close', done))
      socket.send(attempt)
      await closed
    }
    await other.close()
    log.mockRestore()
  })
})
