import { basename, join } from 'node:path'
import { BrowserWindow } from 'electron'
import { BUNDLE_ORIGIN } from './bundle-protocol.ts'

/** What a window shows: a memory file, or the welcome page. */
export type Shown = {
  readonly file: string | null
  /** Reads a file of a newer version nevertheless. */
  readonly allowNewer?: boolean
  /** The address of a view, from a link. By default the one that the file was left at. */
  readonly hash?: string
}

/** Only the main process decides what each window shows. The page can ask for a change. */
const shown = new WeakMap<Electron.WebContents, Shown>()

export function shownIn(contents: Electron.WebContents): Shown {
  return shown.get(contents) ?? { file: null }
}

/**
 * Opens a window on a memory file. It is sandboxed and isolated, without Node, and `guardPages` prevents navigation.
 */
export function openWindow(file: string | null, hash = ''): BrowserWindow {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 900,
    minHeight: 560,
    show: false,
    backgroundColor: '#0e1116',
    webPreferences: {
      preload: join(import.meta.dirname, '../preload/index.cjs'),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  })
  window.once('ready-to-show', () => window.show())
  show(window, { file, hash })
  return window
}

/** Makes a window show another file; a welcome window shows the file that was chosen. */
export function show(window: BrowserWindow, what: Shown): void {
  shown.set(window.webContents, what)
  window.setTitle(what.file === null ? 'LCM Inspector' : `${basename(what.file)} · LCM Inspector`)
  const search = new URLSearchParams(what.file === null ? {} : { file: what.file })
  if (what.allowNewer) search.set('newer', '')
  window
    .loadURL(`${BUNDLE_ORIGIN}/index.html${search.size > 0 ? `?${search}` : ''}${what.hash ?? ''}`)
    .catch((error: unknown) => {
      // The window was given another address before this one was loaded.
      if (!String(error).includes('ERR_ABORTED')) throw error
    })
}
