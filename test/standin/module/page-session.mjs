// One page of Chromium, seen through DevTools: creation, preload, messages, navigation requests.
import { EventEmitter } from 'node:events'
import { makeCodec } from '../page/codec.mjs'
import { devTools } from './chromium.mjs'
import { ISOLATED_WORLD, mainWorldSource, preloadWorldSource } from './preload-source.mjs'
import { toReal, toVirtual } from './protocol.mjs'

/** Far above what a busy machine needs for a window. */
const ANSWER_LIMIT_MS = 4_000
const codec = makeCodec()

/**
 * Emits `message` (from the preload's world), `new-document` (what was bound to the old one is gone), `navigated`,
 * `navigated-in-page`, `dom-ready`, `loaded`, `console`, `crashed` and `gone`.
 */
export class PageSession extends EventEmitter {
  targetId
  #sessionId
  #world
  #frameId
  #frameUrl = ''
  #windowId
  /** The height of Chromium's own toolbar, in pixels. */
  #toolbarHeight = 0
  #allowed = new Set()
  #mayNavigate

  /** `mayNavigate(url, isMainFrame)` decides about navigations that the page itself begins. */
  constructor(mayNavigate) {
    super()
    this.#mayNavigate = mayNavigate
  }

  /** Creates the page and puts the preload in place. */
  async start({ width, height, preload, additionalArguments }) {
    this.targetId = await createTarget({ url: 'about:blank', width, height, newWindow: true })
    const attached = await devTools.send('Target.attachToTarget', { targetId: this.targetId, flatten: true })
    this.#sessionId = attached.sessionId
    this.#listen()
    this.#frameId = (await this.send('Page.getFrameTree')).frameTree.frame.id
    for (const domain of ['Page', 'Runtime', 'Inspector']) await this.send(`${domain}.enable`)
    await this.#measureWindow()
    await this.resize(width, height)
    await this.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] })
    if (preload) await this.#installPreload(preload, additionalArguments)
  }

  async #installPreload(preload, additionalArguments) {
    const inject = (source, worldName) => this.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName })
    await this.send('Runtime.addBinding', { name: '__standinTell', executionContextName: ISOLATED_WORLD })
    await inject(mainWorldSource())
    await inject(preloadWorldSource(preload, additionalArguments), ISOLATED_WORLD)
  }

  async #measureWindow() {
    this.#windowId = (await devTools.send('Browser.getWindowForTarget', { targetId: this.targetId })).windowId
    const { result } = await this.send('Runtime.evaluate', { expression: 'outerHeight - innerHeight' })
    this.#toolbarHeight = result.value
  }

  /** Gives the page this size, in pixels. */
  async resize(width, height) {
    const bounds = { width, height: height + this.#toolbarHeight }
    await devTools.send('Browser.setWindowBounds', { windowId: this.#windowId, bounds })
  }

  send(method, params) {
    return devTools.send(method, params, this.#sessionId)
  }

  /** Loads an address of the app; resolves when Chromium has begun to show it. */
  async navigate(url) {
    const real = new URL(toReal(url)).href
    this.#allowed.add(withoutHash(real))
    const { errorText } = await this.send('Page.navigate', { url: real })
    if (errorText) throw new Error(`${errorText} loading '${url}'`)
  }

  reload = () => this.send('Page.reload')

  /** Sends a message to the preload's world; dropped, as in Electron, while no document is there. */
  post(message) {
    if (this.#world === undefined) return
    const expression = `__standinReceive(${JSON.stringify(codec.encode(message))})`
    // The document may go away while the message is under way.
    this.send('Runtime.evaluate', { uniqueContextId: this.#world, expression }).catch(() => undefined)
  }

  async close() {
    const gone = new Promise((resolve) => this.once('gone', resolve))
    await devTools.send('Target.closeTarget', { targetId: this.targetId }).catch(() => this.emit('gone'))
    await gone
  }

  #listen() {
    const page = (event, listener) => devTools.on(`${this.#sessionId}:${event}`, listener)
    page('Runtime.bindingCalled', ({ payload }) => this.emit('message', codec.decode(payload)))
    page('Runtime.executionContextCreated', ({ context }) => {
      if (context.name === ISOLATED_WORLD && context.auxData?.frameId === this.#frameId) this.#adopt(context.uniqueId)
    })
    // The old process may report its worlds gone after the new ones came: only unique ids tell them apart.
    page('Runtime.executionContextDestroyed', ({ executionContextUniqueId }) => {
      if (executionContextUniqueId === this.#world) this.#adopt(undefined)
    })
    page('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId) return
      this.#frameId = frame.id
      this.#frameUrl = frame.url
      this.emit('navigated', toVirtual(frame.url + (frame.urlFragment ?? '')))
    })
    page('Page.navigatedWithinDocument', ({ frameId, url }) => {
      if (frameId === this.#frameId) this.emit('navigated-in-page', toVirtual(url))
    })
    page('Page.domContentEventFired', () => this.emit('dom-ready'))
    page('Page.loadEventFired', () => this.emit('loaded'))
    page('Runtime.consoleAPICalled', (call) => this.emit('console', call))
    page('Inspector.targetCrashed', () => this.emit('crashed'))
    page('Fetch.requestPaused', (request) => this.#decide(request))
    devTools.on(':Target.targetDestroyed', ({ targetId }) => {
      if (targetId === this.targetId) this.emit('gone')
    })
  }

  #adopt(world) {
    if (this.#world !== undefined) this.emit('new-document')
    this.#world = world
  }

  /** A reload is not a navigation; the app is asked about everything else that it did not begin itself. */
  #decide({ requestId, request, frameId }) {
    const isMainFrame = frameId === this.#frameId
    const isOurs = this.#allowed.delete(request.url) || (isMainFrame && request.url === withoutHash(this.#frameUrl))
    const isAllowed = isOurs || this.#mayNavigate(toVirtual(request.url), isMainFrame)
    const [method, answer] = isAllowed
      ? ['Fetch.continueRequest', {}]
      : ['Fetch.failRequest', { errorReason: 'Aborted' }]
    this.send(method, { requestId, ...answer }).catch(() => undefined)
  }
}

/**
 * Chromium forgets one request for a window in a few dozen, with neither an answer nor an event; asked again, it answers.
 * What comes of a request that was only slow is closed.
 */
async function createTarget(request) {
  let targetId
  while (targetId === undefined) {
    const asked = devTools.send('Target.createTarget', request).then((created) => {
      if (targetId === undefined) targetId = created.targetId
      else void devTools.send('Target.closeTarget', created).catch(() => undefined)
    })
    await Promise.race([asked, new Promise((late) => setTimeout(late, ANSWER_LIMIT_MS))])
  }
  return targetId
}

const withoutHash = (url) => url.replace(/#.*$/, '')
