// BrowserWindow: title, size and visibility are remembered, nothing is drawn outside the page.
import { EventEmitter } from 'node:events'
import { app } from './app.mjs'
import { nativeTheme } from './native-theme.mjs'
import { preventable } from './not-here.mjs'
import { openWindows } from './open-windows.mjs'
import { WebContents } from './web-contents.mjs'

let lastId = 0

/** As in Electron, as far as the app uses it. */
export class BrowserWindow extends EventEmitter {
  id = ++lastId
  webContents
  #title
  #bounds
  #minimumSize = [0, 0]
  #visible
  #readyToShow = false
  #state = 'normal'
  #fullScreen = false
  #destroyed = false

  constructor(options = {}) {
    super()
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready')
    const { x = 0, y = 0, width = 800, height = 600, show = true, title = app.name } = options
    this.#bounds = { x, y, width, height }
    this.#visible = show
    this.#title = title
    openWindows.push(this)
    this.webContents = new WebContents(this, options)
    if (nativeTheme.themeSource !== 'system') void this.webContents.emulateColorScheme(nativeTheme.themeSource)
    app.emit('web-contents-created', {}, this.webContents)
    app.emit('browser-window-created', {}, this)
  }

  static getAllWindows = () => [...openWindows]
  static getFocusedWindow = () => openWindows.findLast((window) => window.isVisible()) ?? null
  static fromWebContents = (contents) => openWindows.find((window) => window.webContents === contents) ?? null
  static fromId = (id) => openWindows.find((window) => window.id === id) ?? null

  loadURL = (url) => this.webContents.loadURL(url)
  loadFile = (path) => this.webContents.loadFile(path)
  reload = () => this.webContents.reload()

  // ── title ──
  getTitle = () => this.#title
  setTitle(title) {
    this.#title = title
  }

  /** The document's title changed. */
  followTitle(title) {
    const event = preventable()
    this.emit('page-title-updated', event, title, true)
    if (!event.defaultPrevented) this.#title = title
  }

  // ── visibility ──
  isVisible = () => this.#visible
  isFocused = () => BrowserWindow.getFocusedWindow() === this
  show() {
    this.#visible = true
    this.emit('show')
    this.focus()
  }
  showInactive() {
    this.#visible = true
    this.emit('show')
  }
  hide() {
    this.#visible = false
    this.emit('hide')
  }
  focus() {
    openWindows.splice(openWindows.indexOf(this), 1)
    openWindows.push(this)
    this.emit('focus')
  }
  blur() {
    this.emit('blur')
  }
  moveTop = () => this.focus()

  /** The first page is drawn. */
  pageIsReadyToShow() {
    if (this.#readyToShow) return
    this.#readyToShow = true
    this.emit('ready-to-show')
  }

  // ── size ──
  getBounds = () => ({ ...this.#bounds })
  getNormalBounds = () => ({ ...this.#bounds })
  getContentBounds = () => ({ ...this.#bounds })
  getSize = () => [this.#bounds.width, this.#bounds.height]
  getContentSize = () => this.getSize()
  getPosition = () => [this.#bounds.x, this.#bounds.y]
  setBounds(bounds) {
    this.#bounds = { ...this.#bounds, ...bounds }
    void this.webContents.resize(this.#bounds.width, this.#bounds.height)
    this.emit('resize')
  }
  setSize = (width, height) => this.setBounds({ width, height })
  setPosition = (x, y) => this.setBounds({ x, y })
  setMinimumSize(...size) {
    this.#minimumSize = size
  }
  getMinimumSize = () => this.#minimumSize
  center() {}

  isMaximized = () => this.#state === 'maximized'
  isMinimized = () => this.#state === 'minimized'
  isFullScreen = () => this.#fullScreen
  maximize = () => this.#become('maximized', 'maximize')
  unmaximize = () => this.#become('normal', 'unmaximize')
  minimize = () => this.#become('minimized', 'minimize')
  restore = () => this.#become('normal', 'restore')
  setFullScreen(fullScreen) {
    this.#fullScreen = fullScreen
    this.emit(fullScreen ? 'enter-full-screen' : 'leave-full-screen')
  }

  #become(state, event) {
    this.#state = state
    this.emit(event)
  }

  // ── the frame, which a headless run has not ──
  setMenu() {}
  removeMenu() {}
  setMenuBarVisibility() {}
  setAutoHideMenuBar() {}
  setRepresentedFilename() {}
  setDocumentEdited() {}
  setProgressBar() {}
  setBackgroundColor() {}
  setTitleBarOverlay() {}
  setAlwaysOnTop() {}
  setIcon() {}
  flashFrame() {}

  // ── closing ──
  isDestroyed = () => this.#destroyed

  close() {
    if (this.agreesToClose()) void this.closePage()
  }

  destroy() {
    void this.closePage()
  }

  /** Asks the app's `close` listeners. */
  agreesToClose() {
    const event = preventable()
    this.emit('close', event)
    return !event.defaultPrevented
  }

  closePage = () => this.webContents.closePage()

  /** The page has ended, whoever ended it. */
  pageIsGone() {
    if (this.#destroyed) return
    this.#destroyed = true
    openWindows.splice(openWindows.indexOf(this), 1)
    this.emit('closed')
    if (openWindows.length > 0 || app.isQuitting()) return
    if (!app.emit('window-all-closed')) app.quit()
  }
}
