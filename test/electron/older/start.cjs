// Starts the built app under an Electron that is older than the one it is made for: `BINARY APP [arguments]`. Only what the
// older one does not have is replaced. It is not shipped.
const channels = require('node:diagnostics_channel')
const Module = require('node:module')
const { join } = require('node:path')
const { app, protocol, safeStorage } = require('electron')
const workers = require('node:worker_threads')
const { polyfill } = require('./polyfills.cjs')
const { RemoteWorker } = require('./remote-worker.cjs')

polyfill(globalThis)
// The library that writes the log does not load without it. https://nodejs.org/api/diagnostics_channel.html
channels.tracingChannel ??= () => ({ hasSubscribers: false })

// The window needs what this Chromium does not have, before its own scripts run.
const script = `(${polyfill})(globalThis)`
const { handle } = protocol
protocol.handle = (scheme, answer) =>
  handle.call(protocol, scheme, async (request) => {
    const { pathname } = new URL(request.url)
    const headers = { 'content-type': 'text/javascript' }
    if (pathname === '/polyfills.js') return new Response(script, { headers })
    const response = await answer(request)
    if (!pathname.endsWith('.html')) return response
    const page = (await response.text()).replace('<head>', '<head><script src="polyfills.js"></script>')
    return new Response(page, { status: response.status, headers: response.headers })
  })

// An Electron of its time does not say which keychain it has.
safeStorage.getSelectedStorageBackend ??= () => 'basic_text'

const started = []
class Recorded extends RemoteWorker {
  constructor(...given) {
    super(...given)
    started.push(this)
  }
}
globalThis.startedWorkers = started
const load = Module._load
Module._load = function (request, ...rest) {
  // Only the threads of a core use them.
  if (request === 'better-sqlite3' || request === 'pg') return class {}
  const loaded = load.call(this, request, ...rest)
  return request === 'node:worker_threads' ? { ...workers, Worker: Recorded } : loaded
}

// Playwright connects, calls this, and only then expects windows.
let release = () => undefined
const released = new Promise((resolve) => {
  release = resolve
})
globalThis.__playwright_run = release
if (process.argv.some((argument) => argument.startsWith('--remote-debugging-port'))) {
  const whenReady = app.whenReady.bind(app)
  app.whenReady = () => Promise.all([whenReady(), released])
}

require(join(process.env.LCM_OLDER_APP, 'out/main/index.cjs'))
