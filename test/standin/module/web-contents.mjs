// webContents: the main process's view of a page.
import { EventEmitter } from 'node:events'
import { pathToFileURL } from 'node:url'
import { PageMessages } from './ipc-main.mjs'
import { notHere, preventable } from './not-here.mjs'
import { openWindows } from './open-windows.mjs'
import { PageSession } from './page-session.mjs'
import { session } from './session.mjs'

let lastId = 0

/** As in Electron, as far as the app uses it. */
export class WebContents extends EventEmitter {
  id = ++lastId
  session = session.defaultSession
  mainFrame
  #window
  #page
  #messages
  #url = ''
  #loading = false
  #destroyed = false
  #openHandler
  #started

  constructor(window, { width = 800, height = 600, webPreferences = {} }) {
    super()
    this.#window = window
    this.mainFrame = new MainFrame(this)
    this.#page = new PageSession((url, isMainFrame) => this.#mayNavigate(url, isMainFrame))
    this.#messages = new PageMessages(this, (message) => this.#page.post(message))
    this.#listen()
    const { preload, additionalArguments } = webPreferences
    this.#started = this.#page.start({ width, height, preload, additionalArguments })
    // A failure shows itself at the first loadURL; Chromium ending first is the usual reason.
    this.#started.catch(() => undefined)
  }

  async loadURL(url) {
    await this.#started
    this.#setLoading()
    const loaded = new Promise((resolve) => this.once('did-finish-load', resolve))
    try {
      await this.#page.navigate(url)
    } catch (error) {
      this.emit('did-fail-load', {}, -1, error.message, url, true)
      throw error
    }
    await loaded
  }

  loadFile = (path) => this.loadURL(pathToFileURL(path).href)
  reload = () => void this.#page.reload()
  getURL = () => this.#url
  getTitle = () => this.#window.getTitle()
  isLoading = () => this.#loading
  isDestroyed = () => this.#destroyed
  isFocused = () => this.#window.isFocused()
  focus() {}

  send(channel, ...args) {
    this.#messages.send(channel, args)
  }

  postMessage(channel, message, transfer = []) {
    this.#messages.send(channel, [message], transfer)
  }

  setWindowOpenHandler(handler) {
    this.#openHandler = handler
  }

  async executeJavaScript(expression) {
    await this.#started
    const options = { awaitPromise: true, returnByValue: true, userGesture: true }
    const { result, exceptionDetails } = await this.#page.send('Runtime.evaluate', { expression, ...options })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }

  /** Gives the page this size, in pixels. */
  async resize(width, height) {
    await this.#started
    await this.#page.resize(width, height)
  }

  /** Emulates what the operating system would tell the page. */
  async emulateColorScheme(scheme) {
    await this.#started
    const features = scheme === 'system' ? [] : [{ name: 'prefers-color-scheme', value: scheme }]
    await this.#page.send('Emulation.setEmulatedMedia', { features })
  }

  // Developer tools and zoom are Chromium's own there; nothing here depends on them.
  openDevTools() {}
  closeDevTools() {}
  toggleDevTools() {}
  isDevToolsOpened = () => false
  setZoomFactor() {}
  getZoomFactor = () => 1
  setZoomLevel() {}
  getZoomLevel = () => 0
  insertCSS = () => notHere('webContents.insertCSS')
  printToPDF = () => notHere('webContents.printToPDF')

  close() {
    this.#window.close()
  }

  /** Ends the page without asking. */
  async closePage() {
    await this.#started.catch(() => undefined)
    await this.#page.close()
  }

  static fromDevToolsTargetId = (id) => allContents().find((contents) => contents.#page.targetId === id)
  static fromId = (id) => allContents().find((contents) => contents.id === id)
  static getAllWebContents = () => allContents()
  static getFocusedWebContents = () => allContents().at(-1) ?? null

  #listen() {
    const page = this.#page
    page.on('message', (message) => {
      if (message.kind === 'open') this.#open(message.url)
      else if (message.kind === 'title') this.#window.followTitle(message.title)
      else this.#messages.receive(message)
    })
    page.on('new-document', () => this.#messages.closePorts())
    page.on('navigated', (url) => {
      this.#url = url
      if (this.#isRealPage()) this.emit('did-navigate', {}, url, 200, 'OK')
    })
    page.on('navigated-in-page', (url) => {
      this.#url = url
      this.emit('did-navigate-in-page', {}, url, true)
    })
    page.on('dom-ready', () => this.#isRealPage() && this.emit('dom-ready', {}))
    page.on('loaded', () => this.#isRealPage() && this.#finishLoad())
    page.on('console', ({ type, args }) => {
      const message = args.map(({ value, description }) => value ?? description).join(' ')
      this.emit('console-message', { level: type, message })
    })
    page.on('crashed', () => this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 }))
    page.once('gone', () => {
      this.#destroyed = true
      this.#messages.closePorts()
      this.emit('destroyed')
      this.#window.pageIsGone()
    })
  }

  /** Every window begins with a blank page, which Electron does not report. */
  #isRealPage = () => this.#url !== '' && this.#url !== 'about:blank'

  #setLoading() {
    this.#loading = true
    this.emit('did-start-loading', {})
  }

  #finishLoad() {
    this.#loading = false
    this.emit('did-stop-loading', {})
    this.emit('did-finish-load', {})
    this.#window.pageIsReadyToShow()
  }

  #mayNavigate(url, isMainFrame) {
    const event = preventable({ url, isMainFrame, isSameDocument: false, frame: isMainFrame ? this.mainFrame : null })
    this.emit('will-frame-navigate', event)
    if (isMainFrame) this.emit('will-navigate', event, url)
    return !event.defaultPrevented
  }

  #open(url) {
    const details = { url, frameName: '', features: '', disposition: 'foreground-tab', referrer: { url: this.#url } }
    const { action } = this.#openHandler?.(details) ?? { action: 'allow' }
    if (action !== 'deny') notHere(`second window for ${url}`)
  }
}

const allContents = () => openWindows.map((window) => window.webContents)

/** The same object every time, so that a sender can be compared with it. */
class MainFrame {
  #contents
  routingId = 1
  processId = 1
  parent = null
  name = ''

  constructor(contents) {
    this.#contents = contents
  }

  get url() {
    return this.#contents.getURL()
  }

  get origin() {
    return /^[a-z][a-z0-9+-]*:\/\/[^/?#]*/.exec(this.url)?.[0] ?? 'null'
  }

  get top() {
    return this
  }

  send = (channel, ...args) => this.#contents.send(channel, ...args)
  postMessage = (...args) => this.#contents.postMessage(...args)
  isDestroyed = () => this.#contents.isDestroyed()
}
