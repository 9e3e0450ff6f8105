import { basename, join } from 'node:path'
import { BrowserWindow } from 'electron'
import { BUNDLE_ORIGIN } from './bundle-protocol.ts'

/** The file of each window; null shows the welcome page. Main alone decides it: the page only asks. */
const files = new WeakMap<Electron.WebContents, string | null>()

export function fileOf(contents: Electron.WebContents): string | null {
  return files.get(contents) ?? null
}

/** Opens a window on a memory file. Sandboxed, isolated, without Node; it can neither navigate away nor open others. */
export function openWindow(file: string | null): BrowserWindow {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 900,
    minHeight: 560,
    show: false,
    title: file === null ? 'LCM Inspector' : `${basename(file)} · LCM Inspector`,
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
  files.set(window.webContents, file)
  window.once('ready-to-show', () => window.show())
  window.webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
  window.webContents.on('will-navigate', (event, url) => {
    if (!url.startsWith(`${BUNDLE_ORIGIN}/`)) event.preventDefault()
  })
  showFile(window, file)
  return window
}

/** Turns a window to another file (a welcome window becomes the file that was picked). */
export function showFile(window: BrowserWindow, file: string | null): void {
  files.set(window.webContents, file)
  const search = file === null ? '' : `?file=${encodeURIComponent(file)}`
  void window.loadURL(`${BUNDLE_ORIGIN}/index.html${search}`)
}
