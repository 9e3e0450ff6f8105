// The npm package of Electron does not contain its binary, which is downloaded on first use if the network allows it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from './child.mjs'
import { inProject, nodeBinary, say } from './project.mjs'

const DOWNLOAD_LIMIT_MS = 60_000
const RETRY_AFTER_MS = 24 * 3600 * 1000
const packageFolder = inProject('node_modules', 'electron')
const failureFile = inProject('.cache', 'electron-download.json')

/** Returns the Electron binary on this machine, or undefined. */
export function findElectron() {
  const pathFile = join(packageFolder, 'path.txt')
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : undefined
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH
  const binary = override ? join(override, name ?? platformName()) : name && join(packageFolder, 'dist', name)
  return binary && existsSync(binary) ? binary : undefined
}

/** Fetches the binary unless that failed within a day, so that later starts are quick. */
export const fetchElectronUnlessFailed = async () => (failedLately() ? undefined : fetchElectron())

/** Fetches the binary within a minute, or returns undefined and remembers when that failed. */
export async function fetchElectron() {
  say('fetching Electron, once…')
  const limit = AbortSignal.timeout(DOWNLOAD_LIMIT_MS)
  const options = { stdio: 'ignore', signal: limit, killSignal: 'SIGKILL' }
  await run(nodeBinary, [join(packageFolder, 'install.js')], options).catch(() => undefined)
  const binary = findElectron()
  if (binary === undefined) rememberFailure()
  return binary
}

/** True when this session can show a window. */
export function hasDisplay() {
  if (process.platform !== 'linux') return true
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
}

function platformName() {
  if (process.platform === 'win32') return 'electron.exe'
  return process.platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron'
}

function failedLately() {
  if (!existsSync(failureFile)) return false
  const { version, failedAtMs } = JSON.parse(readFileSync(failureFile, 'utf8'))
  return version === packageVersion() && Date.now() - failedAtMs < RETRY_AFTER_MS
}

function rememberFailure() {
  mkdirSync(dirname(failureFile), { recursive: true })
  writeFileSync(failureFile, JSON.stringify({ version: packageVersion(), failedAtMs: Date.now() }))
}

const packageVersion = () => JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version
