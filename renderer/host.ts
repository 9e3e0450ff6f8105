import { enter, NotEntered } from './browser-session.ts'

/** What the preload of the desktop app exposes. */
type ElectronHost = {
  readonly kind: 'electron'
  pickMemory(): Promise<string | null>
  pickTranscripts(): Promise<readonly string[]>
  /** null shows the welcome page. */
  openMemory(path: string | null): void
  /** Opens a file of a newer version, for reading. */
  openNewerMemory(path: string): void
  pathForFile(file: File): string
  /** @returns a function that stops listening */
  onMenu(callback: (command: string) => void): undefined | (() => void)
}

declare global {
  interface Window {
    readonly lcmHost?: ElectronHost
  }
}

/** The surroundings of the renderer. A missing capability is undefined, and functions that need it are not offered. */
export type Host = {
  readonly kind: 'electron' | 'browser'
  /** Settles when the address of the window says what it shows. @throws NotEntered for a page that may not show anything */
  enter(): Promise<void>
  /** One connection to the core of this window. Rejects when the core cannot be reached. */
  connect(): Promise<MessagePort | WebSocket>
  /** Shows a memory file in this window. Null shows the welcome page. */
  openFile(path: string | null): void
  /** Opens a file of a newer version than this app, for reading. */
  readonly openNewerFile?: (path: string) => void
  readonly pickMemory?: () => Promise<string | null>
  readonly pickTranscripts?: () => Promise<readonly string[]>
  readonly pathOfDroppedFile?: (file: File) => string
  /** @returns a function that stops listening */
  onMenu(callback: (command: string) => void): () => void
}

const CONNECT_LIMIT_MS = 15_000

function electronHost(bridge: ElectronHost): Host {
  return {
    kind: 'electron',
    enter: async () => undefined,
    connect: connectToMain,
    openFile: (path) => bridge.openMemory(path),
    openNewerFile: (path) => bridge.openNewerMemory(path),
    pickMemory: () => bridge.pickMemory(),
    pickTranscripts: () => bridge.pickTranscripts(),
    pathOfDroppedFile: (file) => bridge.pathForFile(file),
    onMenu: (callback) => bridge.onMenu(callback) ?? (() => undefined),
  }
}

const browserHost: Host = {
  kind: 'browser',
  enter: async () => void (await entered),
  connect: connectToServer,
  openFile: (path) => goTo(path === null ? { welcome: '' } : { file: path }),
  openNewerFile: (path) => goTo({ file: path, newer: '' }),
  onMenu: () => () => undefined,
}

/** The first entry of the page. A new connection enters again. */
const entered = window.lcmHost ? null : enterFirst()
let isFirstConnection = true

/** The host of this window. */
export const host: Host = window.lcmHost ? electronHost(window.lcmHost) : browserHost

const goTo = (search: Record<string, string>): void =>
  location.assign(`${location.pathname}?${new URLSearchParams(search)}`)

/** A port cannot cross the context bridge, so the preload passes it by a message within the window. */
function connectToMain(): Promise<MessagePort> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      window.removeEventListener('message', receive)
      clearTimeout(limit)
    }
    const receive = (event: MessageEvent) => {
      const port = event.ports[0]
      if (event.source !== window || event.data !== 'lcm:port' || port === undefined) return
      settle()
      port.start()
      resolve(port)
    }
    const limit = setTimeout(() => {
      settle()
      reject(new Error('the core of this window did not answer'))
    }, CONNECT_LIMIT_MS)
    window.addEventListener('message', receive)
    window.postMessage('lcm:connect', location.origin)
  })
}

async function enterFirst(): Promise<string> {
  const { secret, start } = await enter()
  const search = new URLSearchParams(location.search)
  if (!search.has('file') && !search.has('welcome')) history.replaceState(null, '', start + location.hash)
  return secret
}

/** A restarted server does not know this page. The page says so after a reload. */
async function enterAgain(): Promise<string> {
  try {
    return (await enter()).secret
  } catch (error) {
    if (error instanceof NotEntered) location.reload()
    throw error
  }
}

async function connectToServer(): Promise<WebSocket> {
  const secret = await (isFirstConnection ? entered : enterAgain())
  isFirstConnection = false
  return new Promise((resolve, reject) => {
    const address = `ws://${location.host}/rpc${location.search}`
    const socket = new WebSocket(address, ['lcm', `lcm-secret.${secret}`])
    socket.binaryType = 'arraybuffer'
    const limit = setTimeout(() => socket.close(), CONNECT_LIMIT_MS)
    socket.addEventListener('open', () => {
      clearTimeout(limit)
      resolve(socket)
    })
    socket.addEventListener('close', () => {
      clearTimeout(limit)
      reject(new Error('the browser host did not answer'))
    })
  })
}
