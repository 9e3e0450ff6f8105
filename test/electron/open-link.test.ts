import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'

// Proves that a link opens nothing before the user has seen which file and agreed. Electron is played.

const electron = vi.hoisted(() => ({
  windows: [] as object[],
  answer: 0,
  showMessageBox: vi.fn(),
  showErrorBox: vi.fn(),
  loaded: [] as string[],
}))
vi.mock('electron', () => ({
  app: {},
  dialog: {
    showErrorBox: electron.showErrorBox,
    showMessageBox: async (_window: object, options: object) => {
      electron.showMessageBox(options)
      return { response: electron.answer }
    },
  },
  BrowserWindow: class {
    static getAllWindows = () => electron.windows
    webContents = {}
    once = () => undefined
    setTitle = () => undefined
    isDestroyed = () => false
    loadURL = async (url: string) => void electron.loaded.push(url)
    constructor() {
      electron.windows.push(this)
    }
  },
}))
const { openLink } = await import('#electron/main/open-link.ts')

const file = join(temporaryFolder(), 'lcm.db')
writeFileSync(file, 'memory')
const link = `lcm-inspector://open?${new URLSearchParams({ file, conversation: '2', view: 'layers' })}`

afterEach(() => {
  electron.windows.length = 0
  electron.loaded.length = 0
  vi.clearAllMocks()
})

it('a link shows its whole path, and opens nothing when the user cancels', async () => {
  electron.answer = 0
  await openLink(link)
  expect(electron.showMessageBox).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ detail: file, defaultId: 0 }),
  )
  expect(electron.loaded).toEqual(['app://bundle/index.html'])
})

it('a link opens its view in the window without a memory when the user agrees', async () => {
  electron.answer = 1
  await openLink(link)
  expect(electron.windows).toHaveLength(1)
  expect(electron.loaded.at(-1)).toBe(`app://bundle/index.html?${new URLSearchParams({ file })}#/conversation/2/layers`)
})

it('a second link opens a window of its own, and leaves the first as it is', async () => {
  electron.answer = 1
  await openLink(link)
  await openLink(link)
  expect(electron.windows).toHaveLength(2)
})

it('a link that is refused says why and asks nothing', async () => {
  await openLink('lcm-inspector://open?file=relative.db')
  expect(electron.showErrorBox).toHaveBeenCalledExactlyOnceWith(
    'This link opens nothing',
    expect.stringContaining('whole path'),
  )
  expect(electron.showMessageBox).not.toHaveBeenCalled()
})
