import { app, BrowserWindow, Menu, type MenuItemConstructorOptions } from 'electron'
import { isMac } from '#core/platform.ts'
import { openWindow } from './window.ts'

/** The command of a menu entry, which the page carries out. */
type MenuCommand = 'open' | 'import' | 'find' | 'palette' | 'keys' | 'settings'

function tell(command: MenuCommand): () => void {
  return () => BrowserWindow.getFocusedWindow()?.webContents.send('lcm:menu', command)
}

export function buildMenu(): void {
  const isOnMac = isMac()
  const template: MenuItemConstructorOptions[] = [
    ...(isOnMac ? [{ role: 'appMenu' as const }] : []),
    {
      label: 'File',
      submenu: [
        { label: 'New Window', accelerator: 'CmdOrCtrl+N', click: () => openWindow(null) },
        { id: 'open', label: 'Open Memory…', accelerator: 'CmdOrCtrl+O', click: tell('open') },
        { id: 'import', label: 'Import Transcripts…', click: tell('import') },
        { type: 'separator' },
        { id: 'settings', label: 'Settings…', accelerator: 'CmdOrCtrl+,', click: tell('settings') },
        { type: 'separator' },
        isOnMac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    {
      label: 'Edit',
      submenu: [
        { role: 'copy' },
        { role: 'selectAll' },
        { type: 'separator' },
        { id: 'find', label: 'Search', accelerator: 'CmdOrCtrl+F', click: tell('find') },
        { id: 'palette', label: 'Command Palette…', accelerator: 'CmdOrCtrl+K', click: tell('palette') },
      ],
    },
    {
      label: 'View',
      submenu: [
        { role: 'reload' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    { role: 'help', submenu: [{ id: 'keys', label: 'Keyboard Shortcuts', click: tell('keys') }] },
  ]
  app.setAboutPanelOptions({ applicationName: 'LCM Inspector', applicationVersion: app.getVersion() })
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
}
