// Chromium plays the part of Electron's renderer processes.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromiumFlags, findChromium } from '#scripts/find-chromium.mjs'
import { commandLine } from './command-line.mjs'
import { DevTools } from './devtools.mjs'

const CLOSE_LIMIT_MS = 1_000
const profile = join(mkdtempSync(join(tmpdir(), 'standin-')), 'profile')
let child
let browserPid
let stopping = false

/** The connection, once Chromium runs. */
export let devTools

/** Starts Chromium; `onGone` is called when it ends without having been asked to. */
export async function startChromium({ hostRules, switches, onGone }) {
  const executable = findChromium()
  if (executable === undefined) throw new Error('The Electron stand-in needs Chromium; npm test installs it.')
  const args = [
    `--remote-debugging-port=${commandLine.switches.get('remote-debugging-port') || 0}`,
    `--user-data-dir=${profileFolder()}`,
    `--host-resolver-rules=${hostRules}`,
    '--headless',
    '--no-startup-window',
    '--disable-gpu',
    '--disable-extensions',
    '--disable-dev-shm-usage',
    '--force-color-profile=srgb',
    '--password-store=basic',
    // The main process must learn when a page closes its end of a channel; pages themselves do not see the event.
    '--enable-blink-features=MessagePortCloseEvent',
    ...chromiumFlags,
    ...switches,
  ]
  child = spawn(executable, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  child.on('exit', () => {
    if (!stopping) onGone()
  })
  const address = await printedAddress()
  devTools = await DevTools.connect(address)
  await devTools.send('Target.setDiscoverTargets', { discover: true })
  const { processInfo } = await devTools.send('SystemInfo.getProcessInfo')
  // The process that was spawned may be a script around the browser.
  browserPid = processInfo.find(({ type }) => type === 'browser')?.id
  return address
}

/** Storage survives a restart of the app only in a folder that the caller keeps. */
function profileFolder() {
  const userData = commandLine.switches.get('user-data-dir')
  return userData ? join(userData, 'chromium') : profile
}

function printedAddress() {
  const printed = Promise.withResolvers()
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    if (output.length < 100_000) output += text
    const address = /^DevTools listening on (ws:\/\/\S+)$/m.exec(output)?.[1]
    if (address) printed.resolve(address)
  })
  child.once('error', printed.reject)
  child.once('exit', (code) => printed.reject(new Error(`Chromium ended with ${code}:\n${output}`)))
  return printed.promise
}

/** Closes Chromium, first asking, and removes its profile. */
export async function stopChromium() {
  stopping = true
  if (child && child.exitCode === null && child.signalCode === null) {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    devTools?.send('Browser.close').catch(() => undefined)
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS))])
  }
  killChromium()
  rmSync(join(profile, '..'), { recursive: true, force: true, maxRetries: 3 })
}

function killChromium() {
  stopping = true
  for (const pid of [browserPid, child?.pid])
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
}

process.on('exit', killChromium)
