import { app, BrowserWindow, dialog } from 'electron'
import { registersLinks } from '#core/platform.ts'
import { LINK_SCHEME, parseLink } from './deep-link.ts'
import { openWindow, show, shownIn } from './window.ts'

const OPEN = 1

/**
 * Asks before it opens what a link names, and shows the whole path: whoever wrote the link may have wanted another file
 * to be opened than its reader thinks.
 */
export async function openLink(link: string): Promise<void> {
  const window = BrowserWindow.getAllWindows()[0] ?? openWindow(null)
  const target = parseLink(link)
  if ('refused' in target) {
    dialog.showErrorBox('This link opens nothing', `${target.refused}\n\n${link.slice(0, 500)}`)
    return
  }
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    title: 'LCM Inspector',
    message: 'A link wants to open this file.',
    detail: target.file,
    buttons: ['Cancel', 'Open'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  })
  if (response !== OPEN) return
  if (window.isDestroyed() || shownIn(window.webContents).file !== null) openWindow(target.file, target.hash)
  else show(window, target)
}

/**
 * On Windows an app registers its links by itself, which a portable one must not: it leaves nothing behind. What follows
 * two dashes is never taken for a switch.
 */
export function registerLinks(): void {
  const isInstalled = app.isPackaged && process.env.PORTABLE_EXECUTABLE_FILE === undefined
  if (registersLinks() && isInstalled) app.setAsDefaultProtocolClient(LINK_SCHEME, process.execPath, ['--'])
}
