// Finds a Chromium that runs. Shared by the test run, the Playwright configuration and the Electron stand-in.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

/** Flags for any Chromium that the tests start: no sandbox in containers, nothing sent or fetched by itself. */
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Returns the absolute path of the first Chromium that answers to `--version`, or undefined. `LCM_CHROMIUM` overrides
 * the search.
 * @returns {string | undefined} an absolute path
 */
export function findChromium() {
  if (process.env.LCM_CHROMIUM) return process.env.LCM_CHROMIUM
  for (const path of candidates()) if (existsSync(path) && answers(path)) return path
  return undefined
}

function* candidates() {
  if (process.platform === 'darwin') {
    yield '/Applications/Chromium.app/Contents/MacOS/Chromium'
    yield '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  } else if (process.platform === 'win32') {
    for (const folder of [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA])
      if (folder) yield join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe')
  } else {
    // Debian's binaries themselves, because those in /usr/bin are shell scripts around them. The headless shell has no
    // desktop functions and needs half the processor time of the whole browser.
    yield '/usr/lib/chromium/chromium-headless-shell'
    yield '/usr/lib/chromium/chromium'
    for (const name of ['chromium-headless-shell', 'chromium', 'google-chrome', 'google-chrome-stable'])
      for (const folder of (process.env.PATH ?? '').split(delimiter)) yield join(folder, name)
  }
  yield* fromPlaywright()
}

/** Returns the browser that Playwright has downloaded. Returns nothing before the dependencies are installed. */
function fromPlaywright() {
  try {
    return [createRequire(import.meta.url)('playwright-core').chromium.executablePath()]
  } catch {
    return []
  }
}

/**
 * A browser without its shared libraries does not run. On Windows `--version` would open a window, so it is not tried.
 */
function answers(path) {
  if (process.platform === 'win32') return true
  return spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0
}
