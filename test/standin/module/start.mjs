// From "the main script is loaded" to `ready`.
import { app } from './app.mjs'
import { startChromium } from './chromium.mjs'
import { startProtocolServer } from './protocol.mjs'

/** Starts the server and Chromium, prints the line that Playwright waits for, and emits `ready` once released. */
export async function startDesktop(released) {
  const hostRules = await startProtocolServer()
  const address = await startChromium({ hostRules, switches: app.commandLine.appended, onGone: () => app.exit(1) })
  process.stderr.write(`DevTools listening on ${address}\n`)
  await released
  app.becomeReady()
}

// Electron does not end when the event loop runs empty.
setInterval(() => undefined, 2 ** 30)
