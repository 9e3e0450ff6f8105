import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, type ElectronApplication, type Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inProject } from '#scripts/project.mjs'

/** What the sample app's preload exposes to its page, and what the page keeps. */
declare global {
  interface Window {
    readonly bridge: Bridge
    readonly ports: Promise<readonly [MessagePort]>
    received: unknown[]
  }
}
type Bridge = {
  readonly platform: string
  readonly echo: (value: unknown) => Promise<unknown>
  readonly fail: () => Promise<never>
  readonly who: () => Promise<unknown>
  readonly choose: () => Promise<readonly string[]>
  readonly add: (one: number, other: number) => number
  readonly throwAtOnce: () => never
  readonly onMenu: (listener: (command: string) => void) => void
  readonly connect: () => void
  readonly give: () => void
}

/** What the sample app's main process notes. */
type Seen = {
  readonly args: readonly string[]
  readonly portMessages: readonly unknown[]
  readonly portClosed: number
  readonly refused: readonly string[]
  readonly events: readonly string[]
}

let folder: string
let app: ElectronApplication
let page: Page

async function launch(userData: string): Promise<ElectronApplication> {
  return await _electron.launch({
    executablePath: inProject('test/standin/electron'),
    args: [inProject('test/standin/sample-app'), 'memory.db', `--user-data-dir=${join(folder, userData)}`],
  })
}

async function firstPage(of: ElectronApplication): Promise<Page> {
  const first = await of.firstWindow()
  await first.waitForSelector('#text:not(:empty)')
  return first
}

const seen = () => app.evaluate(() => Reflect.get(globalThis, 'seen') as Seen)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-test-'))
  app = await launch('main')
  page = await firstPage(app)
})

afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

describe('the page of a sandboxed window', () => {
  it('sees what the preload exposes, and nothing of Node, Electron or the stand-in', async () => {
    const found = await page.evaluate(() => ({
      text: document.getElementById('text')?.textContent,
      types: ['require', 'process', 'module', 'ipcRenderer', 'onlyInPreload'].map(
        (name) => typeof Reflect.get(window, name),
      ),
      ours: Object.getOwnPropertyNames(window).filter((name) => /standin/i.test(name)),
    }))
    expect(found).toEqual({ text: 'function', types: Array(5).fill('undefined'), ours: [] })
  })

  it('cannot change or replace what the preload exposes', async () => {
    const changed = await page.evaluate(() => {
      const attempts = [() => Object.assign(window, { bridge: 1 }), () => Object.assign(window.bridge, { add: 1 })]
      return attempts.map((attempt) => {
        try {
          attempt()
          return 'changed'
        } catch {
          return typeof window.bridge.add
        }
      })
    })
    expect(changed).toEqual(['function', 'function'])
  })

  it('receives the answers and exceptions of exposed functions', async () => {
    const answers = await page.evaluate(() => {
      try {
        return window.bridge.throwAtOnce()
      } catch (error) {
        return [window.bridge.add(2, 3), window.bridge.platform, String(error)]
      }
    })
    expect(answers).toEqual([5, process.platform, 'TypeError: at once'])
  })

  it('is loaded through the custom protocol, as a secure context, under its content security policy', async () => {
    const violation = page.evaluate(
      () =>
        new Promise((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), {
            once: true,
          })
          const image = document.createElement('img')
          image.src = 'https://example.org/image.png'
          document.body.append(image)
        }),
    )
    expect(await violation).toBe('img-src')
    expect(await page.evaluate(() => isSecureContext)).toBe(true)
    const urls = await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((w) => w.webContents.getURL()),
    )
    expect(urls).toEqual(['sample://bundle/'])
  })
})

describe('the channel between page and main process', () => {
  it('copies what structured clone copies', async () => {
    const equal = await page.evaluate(async () => {
      const shared = { deep: [1, 'two', undefined, null, -0, Number.NaN, 10n] }
      const value = {
        shared,
        again: shared,
        map: new Map([[1, new Set(['x'])]]),
        date: new Date(7),
        bytes: new Uint8Array([0, 255]),
      }
      const copy = (await window.bridge.echo(value)) as typeof value
      return {
        identity: copy.shared === copy.again && copy.shared !== value.shared,
        map: copy.map instanceof Map && copy.map.get(1)?.has('x'),
        date: copy.date.getTime(),
        bytes: [...copy.bytes],
        deep: copy.shared.deep.map((entry) => `${typeof entry} ${Object.is(entry, -0) ? '-0' : entry}`).slice(2),
      }
    })
    expect(equal).toEqual({
      identity: true,
      map: true,
      date: 7,
      bytes: [0, 255],
      deep: ['undefined undefined', 'object null', 'number -0', 'number NaN', 'bigint 10'],
    })
  })

  it('reports the error of a handler as text', async () => {
    const message = await page.evaluate(() => window.bridge.fail().catch((error: Error) => error.message))
    expect(message).toBe("Error invoking remote method 'fail': RangeError: out of range")
  })

  it('tells the main process which page calls', async () => {
    const who = await page.evaluate(() => window.bridge.who())
    expect(who).toEqual({ url: 'sample://bundle/', origin: 'sample://bundle', isMainFrame: true })
  })

  it('carries a menu command to the page', async () => {
    await page.evaluate(() => {
      window.received = []
      window.bridge.onMenu((command) => window.received.push(command))
    })
    await app.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('open')?.click())
    await expect.poll(() => page.evaluate(() => window.received)).toEqual(['open'])
  })
})

describe('message ports', () => {
  it('carry messages both ways when main makes them, in order from the first one', async () => {
    const received = await page.evaluate(async () => {
      window.bridge.connect()
      const [port] = await window.ports
      return await new Promise((resolve) => {
        const messages: unknown[] = []
        port.onmessage = ({ data }) => {
          messages.push(data)
          if (messages.length === 2) resolve(messages)
        }
        port.postMessage({ question: new Map([['a', 1]]) })
      })
    })
    expect(received).toEqual(['before the page has the port', { answerTo: { question: expect.anything() } }])
  })

  it('tell main when the page closes its end', async () => {
    const before = (await seen()).portClosed
    await page.evaluate(async () => {
      const [port] = await window.ports
      port.close()
    })
    await expect.poll(async () => (await seen()).portClosed).toBe(before + 1)
  })

  it('carry messages both ways when the page makes them', async () => {
    const doubled = await page.evaluate(
      () =>
        new Promise((resolve) => {
          addEventListener('message', ({ data, ports: [port] }) => {
            if (data !== 'given' || !port) return
            port.onmessage = (answer) => resolve(answer.data)
            port.postMessage(21)
          })
          window.bridge.give()
        }),
    )
    expect(doubled).toBe(42)
  })
})

describe('the desktop around the stand-in', () => {
  it('answers dialogs as the test says', async () => {
    await app.evaluate(({ dialog }) => {
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: ['/chosen.db'] })
    })
    expect(await page.evaluate(() => window.bridge.choose())).toEqual(['/chosen.db'])
  })

  it('asks the app about navigation and new windows, and does neither when it is refused', async () => {
    await page.click('#leave')
    await page.click('#popup')
    await expect.poll(async () => (await seen()).refused).toEqual(['https://example.org/'])
    const opened = () =>
      app.evaluate((electron) =>
        (Reflect.get(electron, 'calls') as { name: string; args: unknown[] }[])
          .filter(({ name }) => name === 'shell.openExternal')
          .map(({ args }) => args[0]),
      )
    await expect.poll(opened).toEqual(['https://example.org/popup'])
    expect(await page.title()).toBe('Sample page')
    expect(app.windows()).toHaveLength(1)
  })

  it('gives the window its size, its title and the chosen colours', async () => {
    expect(await page.evaluate(() => [innerWidth, innerHeight])).toEqual([1000, 700])
    expect(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(true)
    await page.evaluate(() => {
      document.title = 'Renamed'
    })
    const window = await app.browserWindow(page)
    await expect.poll(() => window.evaluate((w) => w.getTitle())).toBe('Renamed')
    expect(await window.evaluate((w) => w.isVisible())).toBe(true)
  })

  it('gives the app its arguments and its version', async () => {
    expect((await seen()).args[0]).toBe('memory.db')
    expect(await app.evaluate(({ app }) => app.getVersion())).toBe('1.2.3')
  })

  it('survives a reload of the page with a fresh bridge', async () => {
    await page.reload()
    await page.waitForSelector('#text:not(:empty)')
    expect(await page.evaluate(() => window.bridge.echo('again'))).toBe('again')
    expect((await seen()).refused).toHaveLength(1)
  })
})

describe('the end of the app', () => {
  it('follows the close of the last window, and nothing keeps running', async () => {
    const second = await launch('last-window')
    const only = await firstPage(second)
    const ended = once(second.process(), 'exit')
    await only.close()
    expect(await ended).toEqual([0, null])
  })

  it('waits while a window refuses to close', async () => {
    const second = await launch('refuses')
    await firstPage(second)
    const stillOpen = await second.evaluate(async ({ app, BrowserWindow }) => {
      const window = BrowserWindow.getAllWindows()[0]
      window?.once('close', (event) => event.preventDefault())
      app.quit()
      return BrowserWindow.getAllWindows().length
    })
    expect(stillOpen).toBe(1)
    await second.close()
  })

  it('keeps what the page stored until the next start', async () => {
    const stored = (at: Page) => at.evaluate(() => localStorage.getItem('kept'))
    const second = await launch('kept')
    await (await firstPage(second)).evaluate(() => localStorage.setItem('kept', 'yes'))
    await second.close()
    const third = await launch('kept')
    expect(await stored(await firstPage(third))).toBe('yes')
    await third.close()
  })
})
