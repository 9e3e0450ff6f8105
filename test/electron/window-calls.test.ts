import { EventEmitter } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { CoreHost } from '#core/doors/core-host.ts'

// Proves that the desktop app itself refuses what its page may not ask for, whatever the page checks before, and that its
// guards hold for every page. Electron is played: the events that it sends, and the calls that it is answered with.

const electron = await vi.hoisted(async () => {
  const { EventEmitter } = await import('node:events')
  return {
    app: new EventEmitter(),
    ipcMain: Object.assign(new EventEmitter(), { handle: () => undefined }),
    windows: new WeakMap<object, unknown>(),
    showErrorBox: vi.fn(),
  }
})
vi.mock('electron', () => ({
  app: electron.app,
  ipcMain: electron.ipcMain,
  protocol: {},
  dialog: { showErrorBox: electron.showErrorBox },
  MessageChannelMain: class {},
  BrowserWindow: { fromWebContents: (contents: object) => electron.windows.get(contents) ?? null },
}))

const { guardPages } = await import('#electron/main/guards.ts')
const { handleWindowCalls } = await import('#electron/main/ipc.ts')
handleWindowCalls({} as CoreHost)
guardPages()

afterEach(() => {
  vi.restoreAllMocks()
  electron.showErrorBox.mockClear()
})

const OUR_PAGE = 'app://bundle/index.html'

/** Has the page of a window ask for a memory, and answers with the addresses that the window was turned to. */
function opened(path: unknown, frame: object = { url: OUR_PAGE, parent: null }): readonly string[] {
  const loadURL = vi.fn(async (_url: string) => undefined)
  const sender = {}
  electron.windows.set(sender, { webContents: sender, setTitle: () => undefined, loadURL })
  electron.ipcMain.emit('lcm:open-memory', { sender, senderFrame: frame }, path, false)
  return loadURL.mock.calls.map(([url]) => url)
}

const onPlatform = (platform: NodeJS.Platform): unknown =>
  vi.spyOn(process, 'platform', 'get').mockReturnValue(platform)

describe('a memory that a page asks the desktop app to open', () => {
  it.each([
    ['win32', String.raw`\\server\share\lcm.db`],
    ['win32', '//server/share/lcm.db'],
    ['win32', String.raw`\\?\UNC\server\share\lcm.db`],
    ['win32', String.raw`\\.\PhysicalDrive0`],
    ['win32', String.raw`C:\x\nul`],
    ['linux', '/dev/zero'],
    ['darwin', '/x/../dev/stdin'],
  ] as const)('is not opened when it is no file of this machine, and the user is told (%s: %s)', (platform, path) => {
    onPlatform(platform)
    expect(opened(path)).toEqual([])
    expect(electron.showErrorBox).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('no file of this machine'),
      expect.stringContaining('Copy the file to this machine'),
    )
  })

  it('is opened when it is a plain file', () => {
    onPlatform('win32')
    expect(opened(String.raw`C:\Users\ada\lcm.db`)).toEqual([`${OUR_PAGE}?file=C%3A%5CUsers%5Cada%5Clcm.db`])
    expect(opened(null)).toEqual([OUR_PAGE])
    expect(electron.showErrorBox).not.toHaveBeenCalled()
  })

  it.each([[''], ['x'.repeat(32_768)], [7], [undefined], [['/lcm.db']]])('is not opened when it is no path', (path) => {
    expect(opened(path)).toEqual([])
  })

  it.each([
    ['another page', { url: 'https://evil.example/app://bundle/', parent: null }],
    ['a page whose address begins like ours', { url: 'app://bundle.evil.example/', parent: null }],
    ['a frame in our page', { url: OUR_PAGE, parent: {} }],
  ])('is not opened when the call comes from %s', (_who, frame) => {
    expect(opened('/lcm.db', frame)).toEqual([])
  })
})

describe('a page of the desktop app', () => {
  it.each(['window', 'webview', 'browserView', 'remote'])(
    'cannot leave the app, open a window or attach a page of its own (%s)',
    (type) => {
      const setWindowOpenHandler = vi.fn()
      const contents = Object.assign(new EventEmitter(), { getType: () => type, setWindowOpenHandler })
      electron.app.emit('web-contents-created', {}, contents)
      const isPrevented = (event: string, ...details: readonly unknown[]): boolean => {
        const preventDefault = vi.fn()
        contents.emit(event, { preventDefault }, ...details)
        return preventDefault.mock.calls.length > 0
      }
      for (const event of ['will-navigate', 'will-redirect']) {
        for (const url of ['https://evil.example/', 'file:///etc/passwd', 'app://bundle.evil.example/'])
          expect(isPrevented(event, url), `${event} ${url}`).toBe(true)
        expect(isPrevented(event, OUR_PAGE)).toBe(false)
      }
      expect(isPrevented('will-attach-webview', {}, {})).toBe(true)
      expect(setWindowOpenHandler.mock.calls.map(([handler]) => handler({ url: OUR_PAGE }))).toEqual([
        { action: 'deny' },
      ])
    },
  )
})
