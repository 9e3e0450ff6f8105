import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type BrowserHost, startBrowserHost } from '#core/doors/browser-host.ts'
import { MAX_FRAME_BYTES } from '#core/doors/core-host.ts'
import { type PagePort, relay } from '#electron/main/relay.ts'
import { enter, openSocket, type Session } from '../builders/browser-session.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { type Client, resourcesDir, startCores } from '../jobs/core-client.ts'

// Proves that whatever one connection sends, it can end nothing but itself: the core thread of its file goes on with all
// its other windows and jobs.
const folder = temporaryFolder()
const path = join(folder, 'memory.db')
const cores = startCores()
const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
let host: BrowserHost
let session: Session
let bystander: Client

beforeAll(async () => {
  copyFileSync(join(resourcesDir, 'sample.db'), path)
  mkdirSync(join(folder, 'page'))
  writeFileSync(join(folder, 'page/index.html'), '')
  host = await startBrowserHost({ cores, rendererDir: join(folder, 'page'), port: 0, defaultFile: path })
  session = await enter(host.url)
  bystander = createORPCClient(new RPCLink({ websocket: (await openSocket(session, path)) as never }))
  await bystander.memory.info()
})
afterAll(() => host.close())

/** The core thread would be another one, and its log would say so, if it had ended meanwhile. */
async function isUnharmed(): Promise<void> {
  expect((await bystander.memory.info()).path).toBe(path)
  expect(log.mock.calls.flat().join()).not.toContain('core thread stopped')
}

/** Sends frames over a connection of their own, then a call; answers with the close code, or with `answered`. */
async function send(frames: readonly (string | Buffer)[]): Promise<number | 'answered'> {
  const socket = await openSocket(session, path)
  const end = new Promise<number | 'answered'>((done) => {
    socket.on('close', done)
    socket.on('error', () => undefined)
    socket.on('message', (frame) => String(frame).startsWith('{"i":"last"') && done('answered'))
  })
  for (const frame of frames) socket.send(frame)
  if (socket.readyState === WebSocket.OPEN) socket.send('{"i":"last","p":{"u":"/memory/info"}}')
  const outcome = await end
  socket.terminate()
  return outcome
}

const call = (more: object): string => JSON.stringify({ i: '1', p: { u: '/memory/info', ...more } })

describe('a frame that is no valid call', () => {
  it.each<[string, string | Buffer, number]>([
    ['a letter', 'x', 1007],
    ['an empty frame', '', 1007],
    ['null for id and payload', '{"i":null,"p":null}', 1007],
    ['the address //', '{"i":"1","p":{"u":"//"}}', 1007],
    ['an address with half an escape', '{"i":"1","p":{"u":"/%zz"}}', 1007],
    ['an address elsewhere', '{"i":"1","p":{"u":"http://evil.example/"}}', 1007],
    ['a number', '1', 1007],
    ['a list', '[1,2,3]', 1007],
    ['a list a hundred thousand deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 1007],
    ['headers of a form', call({ h: { 'content-type': 'multipart/form-data; boundary=x' } }), 1007],
    ['headers of a stream', call({ h: { 'content-type': 'text/event-stream' } }), 1007],
    ['an event of a stream', '{"i":"1","t":3,"p":null}', 1007],
    ['another type', '{"i":"1","t":9,"p":{"u":"/memory/info"}}', 1007],
    ['an object for an id', '{"i":{},"p":{"u":"/memory/info"}}', 1007],
    ['a field too many', '{"i":"1","p":{"u":"/memory/info"},"__proto__":{"a":1}}', 1007],
    ['a binary frame', Buffer.from(call({})), 1003],
    ['an empty binary frame', Buffer.alloc(0), 1003],
    ['a giant frame', `"${'x'.repeat(MAX_FRAME_BYTES)}"`, 1009],
  ])('closes only its own connection: %s', async (_name, frame, code) => {
    expect(await send([frame])).toBe(code)
    await isUnharmed()
  })

  it('is answered with an error when its procedure does not exist or its input is invalid', async () => {
    const deep = JSON.parse(`${'[{"json":'.repeat(2000)}1${'}]'.repeat(2000)}`) as unknown
    const bodies = [null, 1, 'x', [], { json: 1, meta: 1 }, { meta: [[0, '__proto__']] }, { json: deep }, { maps: 1 }]
    const frames = bodies.map((b, i) => JSON.stringify({ i: String(i), p: { u: '/retrieval/grep', b } }))
    expect(await send([...frames, '{"i":"n","p":{"u":"/no/such/thing"}}', '{"i":"a","t":4}'])).toBe('answered')
    expect(await send([call({}), call({}), '{"i":"1","t":4}', call({})])).toBe('answered')
    await isUnharmed()
  })

  it('ends no other connection, for any frame (property)', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.record({ i: fc.jsonValue(), t: fc.jsonValue(), p: fc.jsonValue() }, { requiredKeys: [] }).map(toText),
      fc
        .record(
          {
            u: fc.oneof(fc.constantFrom('/', '//', '/memory/info', '/events', '/jobs/start', '/a/../b'), fc.string()),
            m: fc.constantFrom('GET', 'POST', 'x', null),
            h: fc.dictionary(fc.constantFrom('content-type', 'content-disposition', 'x'), fc.string()),
            b: fc.oneof(
              fc.record({ json: fc.jsonValue(), meta: fc.jsonValue(), maps: fc.jsonValue() }),
              fc.jsonValue(),
            ),
          },
          { requiredKeys: ['u'] },
        )
        .map((p) => toText({ i: '1', p })),
    )
    const frame = fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: fc.uint8Array().map(Buffer.from) })
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 5 }), async (frames) => {
        expect(['answered', 1003, 1007, 1009]).toContain(await send(frames))
        await isUnharmed()
      }),
      { numRuns: 40 },
    )
  })
})

describe('the relay of the desktop window', () => {
  it('closes a port whose page sends anything but text, and the core goes on', async () => {
    for (const data of [null, { i: '1', p: null }, new Uint8Array(3), [1], 7]) {
      const page = new FakePort()
      relay(page, cores.connect(path))
      page.send(data)
      expect(page.isClosed).toBe(true)
    }
    await isUnharmed()
  })

  it('closes a port whose page sends a frame that is no call, and the core goes on', async () => {
    const page = new FakePort()
    relay(page, cores.connect(path))
    page.send('{"i":null,"p":null}')
    await expect.poll(() => page.isClosed).toBe(true)
    expect(page.received).toEqual([])
    await isUnharmed()
  })

  it('passes on frames that only the core can check, and the core refuses them', async () => {
    for (const frame of ['x', { i: '1', p: { u: '/memory/info' } }, new MessageChannel().port1]) {
      const port = cores.connect(path)
      port.start()
      const closed = new Promise((done) => port.once('close', done))
      port.postMessage(frame, typeof frame === 'object' && 'close' in frame ? [frame] : [])
      await closed
    }
    await isUnharmed()
  })
})

const toText = (value: unknown): string => JSON.stringify(value)

/** Stands for the `MessagePortMain` of Electron. */
class FakePort implements PagePort {
  readonly received: unknown[] = []
  isClosed = false
  readonly #listeners = new Map<string, (event: { data: unknown }) => void>()

  on(name: 'message' | 'close', listener: (event: { data: unknown }) => void): this {
    this.#listeners.set(name, listener)
    return this
  }
  send(data: unknown): void {
    this.#listeners.get('message')?.({ data })
  }
  postMessage(message: unknown): void {
    this.received.push(message)
  }
  start(): void {}
  close(): void {
    this.isClosed = true
    this.#listeners.get('close')?.({ data: null })
  }
}
