/**
 * The isolated world: `ipcRenderer`, `contextBridge` and the app's real preload script. The main process is reached
 * through a binding that exists in this world only.
 *
 * @param preload the preload script as `function (require, module, exports, process)`
 * @param processFacts what the sandboxed `process` object says
 */
export function runInPreloadWorld(makeCodec, makeBridgePeer, preload, processFacts) {
  const codec = makeCodec()
  const tell = (message) => globalThis.__standinTell(codec.encode(message))
  let lastId = 0

  // ── ports: the page holds real ones, their traffic is carried to the main process ──
  const ports = new Map()
  const carry = (port, id) => {
    ports.set(id, port)
    port.onmessage = ({ data }) => tell({ kind: 'port-message', id, data })
    port.addEventListener('close', () => tell({ kind: 'port-closed', id }))
    return id
  }
  const receivePort = (id) => {
    const { port1, port2 } = new MessageChannel()
    carry(port1, id)
    return port2
  }

  // ── ipcRenderer ──
  const listeners = new Map()
  const invocations = new Map()
  const listenersOf = (channel) => {
    if (!listeners.has(channel)) listeners.set(channel, [])
    return listeners.get(channel)
  }
  const ipcRenderer = {
    on(channel, listener) {
      listenersOf(channel).push(listener)
      return ipcRenderer
    },
    once(channel, listener) {
      const once = (...args) => {
        ipcRenderer.off(channel, once)
        listener(...args)
      }
      return ipcRenderer.on(channel, once)
    },
    off(channel, listener) {
      const position = listenersOf(channel).indexOf(listener)
      if (position >= 0) listenersOf(channel).splice(position, 1)
      return ipcRenderer
    },
    removeAllListeners(channel) {
      listeners.delete(channel)
      return ipcRenderer
    },
    send: (channel, ...args) => tell({ kind: 'send', channel, args, ports: [] }),
    postMessage: (channel, message, transfer = []) =>
      tell({ kind: 'send', channel, args: [message], ports: transfer.map((port) => carry(port, `page-${++lastId}`)) }),
    invoke: (channel, ...args) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        tell({ kind: 'invoke', id, channel, args })
        invocations.set(id, { resolve, reject })
      }),
    sendSync() {
      throw new Error('The Electron stand-in has no ipcRenderer.sendSync.')
    },
  }
  Object.assign(ipcRenderer, { addListener: ipcRenderer.on, removeListener: ipcRenderer.off })

  globalThis.__standinReceive = (text) => {
    const message = codec.decode(text)
    switch (message.kind) {
      case 'reply': {
        const { resolve, reject } = invocations.get(message.id)
        invocations.delete(message.id)
        if (message.error === undefined) resolve(message.value)
        else reject(new Error(message.error))
        break
      }
      case 'send': {
        const event = { sender: ipcRenderer, senderId: 0, ports: message.ports.map(receivePort) }
        for (const listener of [...listenersOf(message.channel)]) listener(event, ...message.args)
        break
      }
      case 'port-message':
        ports.get(message.id)?.postMessage(message.data)
        break
      case 'port-closed':
        ports.get(message.id)?.close()
        ports.delete(message.id)
        break
    }
  }

  // ── contextBridge: either world may come first ──
  const exposed = new Map()
  const names = { sends: 'standin:to-page', receives: 'standin:to-preload' }
  const expose = (key) => peer.send({ kind: 'expose', key, api: exposed.get(key) })
  const peer = makeBridgePeer(codec, names, (notice) => {
    if (notice.kind === 'page-ready') for (const key of exposed.keys()) expose(key)
    else tell(notice)
  })
  const contextBridge = {
    exposeInMainWorld(key, api) {
      if (exposed.has(key)) throw new Error(`Cannot bind an API on top of an existing property on the window object`)
      exposed.set(key, api)
      expose(key)
    },
  }

  // ── the document's title, which DevTools reports late or not at all ──
  window.addEventListener('DOMContentLoaded', () => {
    let last
    const report = () => {
      if (document.title !== last) tell({ kind: 'title', title: document.title })
      last = document.title
    }
    new MutationObserver(report).observe(document.head, { subtree: true, childList: true, characterData: true })
    report()
  })

  // ── the sandboxed preload's surroundings ──
  const electron = {
    ipcRenderer,
    contextBridge,
    // A page cannot learn a file's path; a test gives the File a `path` property.
    webUtils: { getPathForFile: (file) => file.path ?? '' },
  }
  const require = (name) => {
    if (name === 'electron' || name === 'electron/renderer') return electron
    throw new Error(`module not found: ${name} (a sandboxed preload has only electron)`)
  }
  const module = { exports: {} }
  const process = {
    type: 'renderer',
    contextIsolated: true,
    sandboxed: true,
    env: {},
    on() {},
    once() {},
    ...processFacts,
  }
  preload(require, module, module.exports, process)
}
