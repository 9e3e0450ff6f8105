import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type BrowserHost, startBrowserHost } from '#core/doors/browser-host.ts'
import { writeEntryPage } from '#core/doors/cli/output/open-browser.ts'
import { enter } from '../builders/browser-session.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { startCores } from '../jobs/core-client.ts'

const rendererDir = join(temporaryFolder(), 'renderer')
const entered = vi.fn()
let host: BrowserHost
let origin: string

beforeAll(async () => {
  mkdirSync(rendererDir, { recursive: true })
  writeFileSync(join(rendererDir, 'index.html'), '<title>The page</title>')
  host = await startBrowserHost({
    cores: startCores(),
    rendererDir,
    port: 0,
    defaultFile: '/memory/of mine.db',
    onEntered: entered,
  })
  origin = new URL(host.url).origin
})
afterEach(() => {
  entered.mockClear()
  vi.useRealTimers()
})
afterAll(() => host.close())

const tokenOf = (url: string): string => new URL(url).hash.replace('#token=', '')

/** A request as any program may write it: nothing is tidied up on the way. */
function raw(target: string, headers: Record<string, string>, method = 'GET') {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const asked = request({ host: hostname, port, path: target, method, headers, agent: false }, async (response) => {
      let body = ''
      for await (const piece of response) body += String(piece)
      resolve({ status: response.statusCode ?? 0, text: JSON.stringify(response.headers) + body })
    })
    asked.on('error', reject)
    asked.end()
  })
}

const session = (headers: Record<string, string>, method = 'POST') =>
  raw('/session', { host: new URL(origin).host, origin, ...headers }, method)

/** What the server answers to a page that wants a socket. */
function upgrade(path: string, secret: string | null, headers: Record<string, string> = { origin }): Promise<number> {
  return new Promise((resolve) => {
    const protocols = secret === null ? ['lcm'] : ['lcm', `lcm-secret.${secret}`]
    const socket = new WebSocket(`${origin.replace('http', 'ws')}${path}`, protocols, { headers })
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

// Proves that an address that is read later (history, screen, log) opens nothing.
describe('the token in the address', () => {
  it('admits one browser once, and each address has another token', async () => {
    const url = host.newUrl()
    const { secret, start } = await enter(url)
    expect(start).toBe(`?${new URLSearchParams({ file: '/memory/of mine.db' })}`)
    expect(entered).toHaveBeenCalledOnce()
    await expect(enter(url)).rejects.toThrow('401')
    expect((await enter(host.newUrl())).secret).toBe(secret)
  })

  it('admits the page that claimed it again for a minute, and no other page', async () => {
    const token = tokenOf(host.newUrl())
    const claim = (name: string) => session({ authorization: `Bearer ${token}.${name.repeat(20)}` })
    const first = await claim('a')
    expect(first.status).toBe(200)
    expect(await claim('a')).toMatchObject({ status: 200 })
    expect([(await claim('b')).status, (await session({ authorization: `Bearer ${token}` })).status]).toEqual([
      401, 401,
    ])
    expect(entered).toHaveBeenCalledTimes(1)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    expect((await claim('a')).status).toBe(401)
  })

  it('expires soon in the address that a browser is started with', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const url = host.newUrl(60_000)
    vi.setSystemTime(Date.now() + 60_001)
    await expect(enter(url)).rejects.toThrow('401')
  })

  it('opens no socket, and differs from run to run', async () => {
    const token = tokenOf(host.url)
    expect(token.length).toBeGreaterThanOrEqual(32)
    expect(await upgrade('/rpc', token)).toBe(401)
    expect(await upgrade(`/rpc?token=${token}`, null)).toBe(401)
    expect(tokenOf(host.newUrl())).not.toBe(token)
  })

  it('is passed in a file that only the user can read, never in the arguments of the browser', () => {
    const page = writeEntryPage(host.url)
    if (page === null) throw new Error('no page was written')
    expect(page.path).not.toContain(tokenOf(host.url))
    expect(readFileSync(page.path, 'utf8')).toContain(`url=${host.url}"`)
    if (process.platform !== 'win32') {
      expect(statSync(page.path).mode & 0o777).toBe(0o600)
      expect(statSync(page.folder).mode & 0o777).toBe(0o700)
    }
    rmSync(page.folder, { recursive: true })
  })
})

// Proves that the secret works again after a reload and in a second tab, and nowhere but in our own page.
describe('the secret of the run', () => {
  it('admits a page as often as it is loaded', async () => {
    const { secret } = await enter(host.newUrl())
    for (const _ of ['reload', 'second tab'])
      expect(await session({ authorization: `Bearer ${secret}` })).toMatchObject({ status: 200 })
    expect(await upgrade('/rpc', secret)).toBe(101)
    expect(entered).toHaveBeenCalledOnce()
  })

  it('is given to no page of another origin or host', async () => {
    const authorization = `Bearer ${tokenOf(host.newUrl())}`
    expect((await session({ origin: 'http://evil.example', authorization })).status).toBe(401)
    expect((await session({ origin: 'null', authorization })).status).toBe(401)
    expect((await session({ origin: `${origin}0`, authorization })).status).toBe(401)
    expect((await session({ host: 'evil.example', authorization })).status).toBe(421)
    expect((await session({ authorization }, 'GET')).status).toBe(405)
    expect((await session({ authorization }, 'OPTIONS')).text).not.toContain('access-control')
    expect((await session({})).status).toBe(401)
    for (const wrong of ['', 'Bearer', 'Bearer x', `Bearer ${'x'.repeat(43)}`, `Basic ${'x'.repeat(43)}`])
      expect((await session({ authorization: wrong })).status).toBe(401)
  })

  it('opens no socket for a foreign or missing origin, another path, a foreign host, or a wrong secret', async () => {
    const { secret } = await enter(host.newUrl())
    expect(await upgrade('/rpc', secret, { origin: 'http://evil.example' })).toBe(401)
    expect(await upgrade('/rpc', secret, { origin: `${origin}0` })).toBe(401)
    expect(await upgrade('/rpc', secret, { origin: 'null' })).toBe(401)
    expect(await upgrade('/rpc', secret, {})).toBe(401)
    expect(await upgrade('/other', secret)).toBe(401)
    expect(await upgrade('/rpc', secret, { host: 'evil.example', origin: 'http://evil.example' })).toBe(401)
    for (const wrong of [null, `${secret.slice(1)}x`, `${secret}x`]) expect(await upgrade('/rpc', wrong)).toBe(401)
  })

  it('is never stored in a cookie, which would be sent to every port of this machine', async () => {
    const { secret } = await enter(host.newUrl())
    const answers = [
      await session({ authorization: `Bearer ${secret}` }),
      await raw('/', { host: new URL(origin).host }),
      await raw(`/?token=${tokenOf(host.newUrl())}`, { host: new URL(origin).host }),
    ]
    for (const { text } of answers) expect(text).not.toContain('set-cookie')
    expect(
      await upgrade('/rpc', null, { origin, cookie: `lcm=${secret}; lcm_${new URL(origin).port}=${secret}` }),
    ).toBe(401)
  })
})

// Proves that no request makes this server send a browser anywhere.
it('the browser host never redirects, and refuses the address of another host', async () => {
  const { host: own } = new URL(origin)
  const token = tokenOf(host.url)
  const targets = [
    `http://evil.example//evil2.example/?token=${token}`,
    `//evil2.example/?token=${token}`,
    `/\\evil2.example/?token=${token}`,
    `${origin}//evil2.example/?token=${token}`,
    `https://${own}/`,
    `http://${own}@evil.example/`,
    '*',
  ]
  for (const target of targets) {
    const { status, text } = await raw(target, { host: own })
    expect(status, target).toBe(400)
    expect(text).not.toContain('evil')
  }
  for (const target of ['/', `${origin}/`, `/?token=${token}`, '/?welcome='])
    expect(await raw(target, { host: own }), target).toMatchObject({ status: 200 })
  expect((await raw('/', { host: 'evil.example' })).status).toBe(421)
})
