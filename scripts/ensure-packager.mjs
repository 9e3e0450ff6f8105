// Why it is so: docs/decisions/0002-sources-run-as-they-are.md

// Installs electron-builder, with its own packages a quarter of all, which only making and testing packages of the app needs.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { npm } from './bootstrap.mjs'
import { withFileLock } from './file-lock.mjs'
import { inProject, Refusal, say } from './project.mjs'

const folder = inProject('packaging')
const packageOf = (name) => inProject('packaging/node_modules', name)
/** Where the command of electron-builder is, once it is installed. */
export const packagerCli = `${packageOf('electron-builder')}/cli.js`

/**
 * Installs what `packaging/package-lock.json` names, unless it is there.
 * @throws {Refusal} when that is impossible, with what to do
 */
export async function ensurePackager() {
  await withFileLock(inProject('.cache', 'packaging.lock'), 'installation', async () => {
    if (isInstalled()) return
    say('installing electron-builder (npm ci in packaging/)…')
    const { code } = await npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], folder)
    if (code !== 0)
      throw new Refusal('npm ci in packaging/ failed, its reason is above. Check the network, and try again.')
  })
}

const isInstalled = () =>
  Object.entries(read(`${folder}/package.json`).devDependencies).every(([name, version]) => {
    const manifest = `${packageOf(name)}/package.json`
    return existsSync(manifest) && read(manifest).version === version
  })

const read = (path) => JSON.parse(readFileSync(path, 'utf8'))

/** What electron-builder and the reader of archives export. */
export async function loadPackager() {
  await ensurePackager()
  const load = createRequire(`${folder}/package.json`)
  return { ...load('electron-builder'), ...load('@electron/asar') }
}
