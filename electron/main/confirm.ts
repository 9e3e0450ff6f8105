import { BrowserWindow, dialog } from 'electron'
import { askedTo, type Confirm, reachText } from '#core/settings/confirmation.ts'

const ALLOW = 1

/** Asks in a dialog of the main process, which a page can neither answer nor cover. */
export const confirmInDialog: Confirm = async (asked) => {
  const options: Electron.MessageBoxOptions = {
    type: 'warning',
    title: 'LCM Inspector',
    message: `Allow this page to ${askedTo(asked)}?`,
    detail: asked.map(reachText).join('\n\n'),
    buttons: ['Cancel', 'Allow'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  }
  const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0]
  const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options))
  return response === ALLOW ? 'granted' : 'refused'
}
