import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type BrowserHost, startBrowserHost } from '#core/doors/browser-host.ts'
import { CoreHost } from '#core/doors/core-host.ts'
import { enter, openSocket } from '../builders/browser-session.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { resourcesDir, startCores } from './core-client.ts'

const folder = temporaryFolder()
const rendererDir = join(folder, 'renderer')
let host: BrowserHost
let port: number

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

beforeAll(async () => {
  mkdirSync(join(rendererDir, 'assets'), { recursive: true })
  writeFileSync(join(rendererDir, 'index.html'), '<title>The page</title>')
  writeFileSync(join(rendererDir, 'assets/page.js'), 'void 0')
  writeFileSync(join(folder, 'secret.txt'), 'not for the page')
  host = await startBrowserHost({ cores: startCores(), rendererDir, port: 0, defaultFile: '/memory/of mine.db' })
  port = Number(new URL(host.url).port)
})
afterAll(() => host.close())

describe('the pages of the browser host', () => {
  it('are given to everybody, and contain nothing about the user', async () => {
    for (const path of ['/', '/index.html', '/?file=%2Fa.db', '/?welcome=', '/assets/page.js']) {
      const { status, headers, body } = await ask(path)
      expect(status, path).toBe(200)
      expect(`${JSON.stringify(headers)}${body}`).not.toMatch(/of.mine|set-cookie|location/)
    }
  })

  it('answer on loopback only, and under their own host name only', async () => {
    expect(new URL(host.url).hostname).toBe('127.0.0.1')
    for (const name of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `127.0.0.1.evil.example:${port}`,
      // May be ::1, where the same port can be another program's.
      `localhost:${port}`,
    ])
      expect((await ask('/', { host: name })).status).toBe(421)
  })

  it('answer GET and HEAD only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect((await ask('/', {}, method)).status).toBe(405)
    expect(await ask('/?file=x', {}, 'HEAD')).toMatchObject({ status: 200, body: '' })
  })

  it('contain nothing from outside the folder of the page', async () => {
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
      const answer = await ask(path)
      expect([400, 404], path).toContain(answer.status)
      expect(answer.body).not.toContain('not for the page')
    }
  })

  it('have a strict content security policy in every answer, refusals included', async () => {
    const answers = [await ask('/?file=x'), await ask('/assets/page.js'), await ask('/nothing'), await ask('/')]
    for (const { headers } of answers) {
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self';")
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(policy.match(/ws:\S+/g)).toEqual([`ws://127.0.0.1:${port};`])
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      })
    }
  })

  it('let browsers keep the files that are named after their content, and nothing else', async () => {
    const cachingOf = async (path: string) => (await ask(path)).headers['cache-control']
    expect(await cachingOf('/assets/page.js')).toBe('private, max-age=31536000, immutable')
    for (const path of ['/', '/?file=x', '/assets/nothing.js', '/session', '/metrics', '/nothing'])
      expect(await cachingOf(path), path).toBe('no-store')
  })

  it('survive malformed requests', async () => {
    const name = `Host: 127.0.0.1:${port}`
    expect(await send(`GET // HTTP/1.1\r\n${name}\r\n\r\n`)).toMatch(/^HTTP\/1.1 4\d\d/)
    expect(await send(`GET http://[::bad HTTP/1.1\r\n${name}\r\n\r\n`)).toMatch(/^(HTTP\/1.1 4\d\d|hung up)/)
    expect(await send(`GET //[ HTTP/1.1\r\n${name}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)).toMatch(
      /401|400|hung up/,
    )
    expect(await send('\0\0\0\0 nonsense\r\n\r\n')).toMatch(/400|hung up/)
    expect((await ask('/?file=x')).status).toBe(200)
  })
})

describe('the figures of the browser host', () => {
  it('are given to who holds the secret, in the text format of Prometheus, and to nobody else', async () => {
    const { secret } = await enter(host.newUrl())
    const { status, headers, body } = await ask('/metrics', { authorization: `Bearer ${secret}` })
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(body).toContain('# TYPE lcm_compaction_runs_total counter\n')
    expect(body).not.toContain('of mine')
    for (const authorization of ['', `Bearer ${'x'.repeat(43)}`, `Basic ${secret}`]) {
      const refused = await ask('/metrics', { authorization })
      expect(refused.status).toBe(401)
      expect(refused.body).not.toContain('lcm_')
    }
    expect((await ask(`/metrics?token=${secret}`)).status).toBe(401)
    expect((await ask('/metrics', { authorization: `Bearer ${secret}`, host: 'evil.example' })).status).toBe(421)
  })
})

describe('the socket of the browser host', () => {
  it('closes when its core is gone, so that the page can connect again', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const crashing = new CoreHost({
      workerUrl: new URL('./children/crashing-worker.ts', import.meta.url),
      resourcesDir,
    })
    const other = await startBrowserHost({ cores: crashing, rendererDir, port: 0, defaultFile: null })
    const own = await enter(other.url)
    for (const attempt of ['first', 'second']) {
      const socket = await openSocket(own, null)
      const closed = new Promise((done) => socket.once('close', done))
      socket.send(attempt)
      await closed
    }
    await other.close()
    log.mockRestore()
  })
})
