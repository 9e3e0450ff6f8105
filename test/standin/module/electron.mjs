// The module `electron` as the main process sees it.
export { app } from './app.mjs'
export { BrowserWindow } from './browser-window.mjs'
export {
  calls,
  clipboard,
  dialog,
  Notification,
  nativeImage,
  powerMonitor,
  safeStorage,
  screen,
  shell,
  utilityProcess,
} from './desktop.mjs'
export { ipcMain } from './ipc-main.mjs'
export { Menu, MenuItem } from './menu.mjs'
export { MessageChannelMain } from './message-ports.mjs'
export { nativeTheme } from './native-theme.mjs'
export { protocol } from './protocol.mjs'
export { session } from './session.mjs'
export { WebContents as webContents } from './web-contents.mjs'
