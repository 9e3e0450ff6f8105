// The `app` object: life cycle, paths, identity.
import { EventEmitter } from 'node:events'
import { mkdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopChromium } from './chromium.mjs'
import { commandLine } from './command-line.mjs'
import { preventable } from './not-here.mjs'
import { openWindows } from './open-windows.mjs'

const readiness = Promise.withResolvers()

class App extends EventEmitter {
  isPackaged = false
  name = commandLine.packageJson.productName ?? commandLine.packageJson.name ?? 'Electron'
  commandLine = new CommandLine()
  #paths = new Map()
  #ready = false
  #quitting = false

  isReady = () => this.#ready
  whenReady = () => readiness.promise
  getName = () => this.name
  getVersion = () => commandLine.packageJson.version ?? '0.0.0'
  getAppPath = () => commandLine.appPath
  getLocale = () => 'en-US'
  getPreferredSystemLanguages = () => ['en-US']

  setName(name) {
    this.name = name
  }

  getPath(name) {
    if (!this.#paths.has(name)) this.#paths.set(name, defaultPath(name, this.name))
    const path = this.#paths.get(name)
    if (name !== 'exe') mkdirSync(path, { recursive: true })
    return path
  }

  setPath(name, path) {
    this.#paths.set(name, path)
  }

  // A test plays the second instance itself: app.emit('second-instance', {}, argv, folder).
  requestSingleInstanceLock = () => true
  hasSingleInstanceLock = () => true
  releaseSingleInstanceLock() {}

  // The desktop's side of the app, which a headless run has not.
  setAboutPanelOptions() {}
  showAboutPanel() {}
  setAppUserModelId() {}
  setAsDefaultProtocolClient = () => true
  addRecentDocument() {}
  clearRecentDocuments() {}
  disableHardwareAcceleration() {}
  enableSandbox() {}
  focus() {}
  hide() {}
  show() {}

  /** Called once by the start. */
  becomeReady() {
    this.#ready = true
    readiness.resolve()
    this.emit('ready', {}, {})
  }

  /** True while quitting, when the last window must not ask the app again. */
  isQuitting = () => this.#quitting

  quit() {
    if (this.#quitting || !this.#emitPreventable('before-quit')) return
    this.#quitting = true
    const windows = [...openWindows]
    const agreed = windows.every((window) => window.agreesToClose())
    if (!agreed) {
      this.#quitting = false
      return
    }
    void this.#finishQuitting(windows)
  }

  async #finishQuitting(windows) {
    await Promise.all(windows.map((window) => window.closePage()))
    if (this.#emitPreventable('will-quit')) this.exit(0)
    else this.#quitting = false
  }

  exit(code = 0) {
    this.#quitting = true
    this.emit('quit', {}, code)
    void stopChromium().finally(() => process.exit(code))
  }

  #emitPreventable(name) {
    const event = preventable()
    this.emit(name, event)
    return !event.defaultPrevented
  }
}

/** Switches of Chromium's command line; they must be set before `ready`. */
class CommandLine {
  appended = []

  appendSwitch(name, value) {
    this.appended.push(value === undefined ? `--${name}` : `--${name}=${value}`)
  }

  appendArgument(value) {
    this.appended.push(value)
  }

  hasSwitch = (name) => commandLine.switches.has(name)
  getSwitchValue = (name) => commandLine.switches.get(name) ?? ''
}

function defaultPath(name, appName) {
  const home = process.env.HOME ?? homedir()
  const appData = process.env.XDG_CONFIG_HOME ?? join(home, '.config')
  const userData = commandLine.switches.get('user-data-dir') ?? join(appData, appName)
  const known = { home, appData, userData, sessionData: userData, temp: tmpdir(), exe: process.argv[0] }
  if (known[name]) return known[name]
  if (name === 'logs' || name === 'crashDumps') return join(userData, name)
  return join(home, name[0].toUpperCase() + name.slice(1))
}

export const app = new App()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => app.quit())
