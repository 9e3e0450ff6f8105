import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CoreHost } from '#core/doors/core-host.ts'
import { type LogEvent, listenToEvents } from '#core/log.ts'
import { type PagePort, relay } from '#electron/main/relay.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/** Must be in no event. */
const SECRET = 'the vault code is 4711'

const events: LogEvent[] = []
const heard = (): void =>
  listenToEvents({ level: 'debug', take: (event) => void events.push(event), flush: async () => undefined })
afterEach(() => {
  listenToEvents(null)
  events.length = 0
  vi.restoreAllMocks()
})

describe('the process that owns the windows', () => {
  it('records that a core thread stopped, by class and place and without its message', async () => {
    heard()
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const worker = join(temporaryFolder(), 'worker.mjs')
    writeFileSync(worker, `throw new TypeError(${JSON.stringify(SECRET)})`)
    const cores = new CoreHost({ workerUrl: pathToFileURL(worker), resourcesDir: '/nowhere' })
    await once(cores.connect(null), 'close')
    await cores.close()
    expect(events).toMatchObject([
      {
        level: 'error',
        source: 'process',
        event: 'core.stopped',
        fields: { role: 'interactive', error_name: 'TypeError' },
      },
    ])
    expect(JSON.stringify(events)).not.toContain(SECRET)
  })

  it('records that it cut a page off from its core, and not why in words', async () => {
    heard()
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const page = Object.assign(new EventEmitter(), { postMessage: vi.fn(), start: () => undefined, close: vi.fn() })
    const { port1, port2 } = new MessageChannel()
    relay(page as PagePort, port1)
    port2.postMessage({ kind: 'refused', code: 1009, reason: SECRET })
    await expect.poll(() => events.length).toBe(1)
    port2.close()
    expect(events).toMatchObject([{ level: 'warn', event: 'page.refused', fields: { role: 'page', exit_code: 1009 } }])
    expect(JSON.stringify(events)).not.toContain(SECRET)
    expect(page.postMessage).not.toHaveBeenCalled()
  })
})
