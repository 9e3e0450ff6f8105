// The desktop around the app. Nothing here reaches the real one; a test replaces a function or reads `calls`.
import { EventEmitter } from 'node:events'
import { notHere } from './not-here.mjs'

/** Every call that would have reached the desktop, oldest first: `{ name, args }`. */
export const calls = []

const recorded =
  (name, value) =>
  (...args) => {
    calls.push({ name, args })
    return value
  }
const recordedLater =
  (name, value) =>
  async (...args) =>
    recorded(name, value)(...args)

/** Every question is cancelled, unless a test replaces the function. */
export const dialog = {
  showOpenDialog: recordedLater('dialog.showOpenDialog', { canceled: true, filePaths: [] }),
  showOpenDialogSync: recorded('dialog.showOpenDialogSync', undefined),
  showSaveDialog: recordedLater('dialog.showSaveDialog', { canceled: true, filePath: '' }),
  showSaveDialogSync: recorded('dialog.showSaveDialogSync', ''),
  showMessageBox: recordedLater('dialog.showMessageBox', { response: 0, checkboxChecked: false }),
  showMessageBoxSync: recorded('dialog.showMessageBoxSync', 0),
  showErrorBox: recorded('dialog.showErrorBox'),
}

export const shell = {
  openExternal: recordedLater('shell.openExternal'),
  openPath: recordedLater('shell.openPath', ''),
  showItemInFolder: recorded('shell.showItemInFolder'),
  trashItem: recordedLater('shell.trashItem'),
  beep: recorded('shell.beep'),
}

let clipboardText = ''
export const clipboard = {
  readText: () => clipboardText,
  writeText(text) {
    clipboardText = text
  },
  clear() {
    clipboardText = ''
  },
}

const MARK = 'standin:'
/** Readable on purpose: it shows that values pass through here, not that they are secret. */
export const safeStorage = {
  isEncryptionAvailable: () => true,
  getSelectedStorageBackend: () => 'gnome_libsecret',
  encryptString: (text) => Buffer.from(MARK + Buffer.from(text).toString('base64')),
  decryptString(encrypted) {
    const text = encrypted.toString()
    if (!text.startsWith(MARK)) throw new Error('Error while decrypting the ciphertext provided to safeStorage')
    return Buffer.from(text.slice(MARK.length), 'base64').toString()
  },
  isAsyncEncryptionAvailable: async () => true,
  encryptStringAsync: async (text) => safeStorage.encryptString(text),
  decryptStringAsync: async (encrypted) => ({ shouldReEncrypt: false, result: safeStorage.decryptString(encrypted) }),
}

const bounds = { x: 0, y: 0, width: 1920, height: 1080 }
const display = { id: 1, bounds, workArea: bounds, size: bounds, workAreaSize: bounds, scaleFactor: 1 }
export const screen = Object.assign(new EventEmitter(), {
  getPrimaryDisplay: () => display,
  getAllDisplays: () => [display],
  getDisplayMatching: () => display,
  getDisplayNearestPoint: () => display,
  getCursorScreenPoint: () => ({ x: 0, y: 0 }),
})

export const powerMonitor = new EventEmitter()

const emptyImage = { isEmpty: () => true, toPNG: () => Buffer.alloc(0), toDataURL: () => '' }
export const nativeImage = {
  createEmpty: () => emptyImage,
  createFromPath: () => emptyImage,
  createFromBuffer: () => emptyImage,
}

/** Never shown; that it would have been is in `calls`. */
export class Notification extends EventEmitter {
  static isSupported = () => true

  constructor(options) {
    super()
    this.options = options
  }

  show() {
    calls.push({ name: 'Notification.show', args: [this.options] })
  }

  close() {}
}

/** The project's own Node starts its processes itself. */
export const utilityProcess = { fork: () => notHere('utilityProcess.fork') }
