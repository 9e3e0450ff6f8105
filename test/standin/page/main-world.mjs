/** What the page's own world gets: the exposed objects, and a `window.open` that asks the main process. */
export function runInMainWorld(makeCodec, makeBridgePeer) {
  const deepFreeze = (value) => {
    if (value !== null && typeof value === 'object') {
      Object.values(value).forEach(deepFreeze)
      Object.freeze(value)
    }
    return value
  }

  const names = { sends: 'standin:to-preload', receives: 'standin:to-page' }
  const peer = makeBridgePeer(makeCodec(), names, ({ key, api }) => {
    if (Object.hasOwn(window, key)) return
    Object.defineProperty(window, key, { value: deepFreeze(api), enumerable: true })
  })
  peer.send({ kind: 'page-ready' })

  // Switched on for the preload's world only, see chromium.mjs: a page of real Electron never hears of a closed port.
  delete MessagePort.prototype.onclose
  const addEventListener = EventTarget.prototype.addEventListener
  MessagePort.prototype.addEventListener = function (type, ...rest) {
    if (type !== 'close') addEventListener.call(this, type, ...rest)
  }

  // Closing a popup target hangs the `window.open` that made it, so none is ever made.
  const open = (url) => {
    peer.send({ kind: 'open', url: new URL(url ?? 'about:blank', document.baseURI).href })
    return null
  }
  window.open = open
  const openFromLink = (event) => {
    const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement && target.href !== '')
    const wantsWindow = event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey
    if (!link || event.defaultPrevented || !(wantsWindow || link.target === '_blank')) return
    event.preventDefault()
    open(link.href)
  }
  window.addEventListener('click', openFromLink)
  window.addEventListener('auxclick', openFromLink)
}
