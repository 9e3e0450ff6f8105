// Installs a browser for the end-to-end tests if there is none.
import { existsSync, readFileSync } from 'node:fs'
import { runQuietOnStdout } from './child.mjs'
import { findChromium } from './find-chromium.mjs'
import { inProject, nodeBinary, Refusal, root, say } from './project.mjs'

/**
 * Returns the path of a Chromium that runs, and installs one if needed.
 * @throws {Refusal} when that is impossible, with what to do
 */
export async function ensureBrowser() {
  const found = findChromium()
  if (found) return found
  say('installing a browser for the end-to-end tests…')
  if (hasDebianPackage()) await installDebianPackage()
  const packaged = findChromium()
  if (packaged) return packaged
  await runQuietOnStdout(nodeBinary, [inProject('node_modules/@playwright/test/cli.js'), 'install', 'chromium'], {
    cwd: root,
  })
  const downloaded = findChromium()
  if (downloaded) return downloaded
  throw new Refusal(
    'no Chromium could be found or installed. Install Chromium or Chrome (Debian: apt-get install chromium), or set ' +
      'LCM_CHROMIUM to the path of one, then run the same command again.',
  )
}

/** Ubuntu's package of that name only points to a snap, which has no access to the tests' temporary folders. */
function hasDebianPackage() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  return !/^(ID|ID_LIKE)=.*ubuntu/m.test(readFileSync('/etc/os-release', 'utf8'))
}

async function installDebianPackage() {
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  const install = (name) =>
    runQuietOnStdout('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], options)
  await runQuietOnStdout('apt-get', ['update', '-qq'], options)
  // Older archives contain the complete browser only.
  const { code } = await install('chromium-headless-shell')
  if (code !== 0) await install('chromium')
}
