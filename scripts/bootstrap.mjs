// Makes a fresh clone ready: installs the dependencies when they are missing or older than the lock file.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { runQuietOnStdout } from './child.mjs'
import { withFileLock } from './file-lock.mjs'
import { inProject, nodeBinary, Refusal, root, say } from './project.mjs'
import { removeUnread } from './remove-unread.mjs'

const OLDEST_NODE = 18
const stampFile = inProject('node_modules', '.lcm-install-stamp')
const lockFile = inProject('package-lock.json')

/**
 * Installs what is missing. If several processes ask at once, only the first one installs.
 * @returns {Promise<string>} the path of the project's own Node 24
 * @throws {Refusal} when the installation fails, with what to do
 */
export async function bootstrap() {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE)
    throw new Refusal(`Node ${process.versions.node} is too old to install with. Use Node ${OLDEST_NODE} or newer.`)
  const wanted = stamp()
  if (isStamped(wanted)) return nodeBinary
  await withFileLock(inProject('.cache', 'install.lock'), 'installation', async () => {
    if (isStamped(wanted)) return
    if (!matchesLockFile()) await install()
    // Npm has done it already, unless it is told to run no scripts.
    removeUnread()
    writeFileSync(stampFile, wanted)
  })
  return nodeBinary
}

function stamp() {
  const hash = createHash('sha256').update(readFileSync(lockFile)).digest('hex')
  return `${hash} ${process.platform} ${process.arch}\n`
}

const isStamped = (wanted) =>
  existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted && existsSync(nodeBinary)

/** True when a plain `npm install` or `npm ci` has already installed what the lock file names. */
function matchesLockFile() {
  const installedFile = inProject('node_modules', '.package-lock.json')
  if (!existsSync(installedFile) || !nodeRuns()) return false
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages
  const locked = Object.entries(JSON.parse(readFileSync(lockFile, 'utf8')).packages)
  return locked.every(([path, { version, optional }]) => {
    if (path === '') return true
    return installed[path] ? installed[path].version === version : optional === true
  })
}

/** False also for a `node_modules` that was copied here from another kind of machine. */
const nodeRuns = () => spawnSync(nodeBinary, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v24.') === true

async function install() {
  say('installing what is missing (npm ci); this takes up to a minute…')
  const startedAtMs = Date.now()
  // The build and the runtime are development dependencies, which are needed even when NODE_ENV is "production".
  const result = await npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
  if (result.code !== 0)
    throw new Refusal(
      'npm ci failed, its reason is above. Check the network (or the npm proxy and registry settings) and the free ' +
        'disk space, then run the same command again.',
    )
  if (!nodeRuns()) await npm(['rebuild', 'node', '--ignore-scripts=false', '--loglevel=error'])
  if (!nodeRuns())
    throw new Refusal(
      `the project's own Node did not arrive at ${nodeBinary}. Run: npm rebuild node --ignore-scripts=false`,
    )
  say(`installed in ${Math.round((Date.now() - startedAtMs) / 1000)} s`)
}

/** Runs npm in a folder, with what it prints on standard error. @throws {Refusal} when it cannot be started */
export function npm(args, cwd = root) {
  const cli = process.env.npm_execpath
  if (cli?.endsWith('npm-cli.js')) return runQuietOnStdout(process.execPath, [cli, ...args], { cwd })
  const shell = process.platform === 'win32'
  return runQuietOnStdout(shell ? 'npm.cmd' : 'npm', args, { cwd, shell }).catch((error) => {
    throw new Refusal(`npm cannot be started (${error.code}). Install Node with npm, then run the same command again.`)
  })
}
