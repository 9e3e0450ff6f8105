// Builds the renderer and the bundles when a source has changed since the last build.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, runQuietOnStdout } from './child.mjs'
import { withFileLock } from './file-lock.mjs'
import { inProject, nodeBinary, Refusal, root, say } from './project.mjs'

const SOURCES = [
  ...['core', 'electron', 'renderer', 'package.json', 'package-lock.json', 'electron.vite.config.ts'],
  'scripts/declarations.ts',
  'scripts/check-chunks.mjs',
  'scripts/licences.ts',
]
const RESULTS = [
  ...['out/main/index.js', 'out/preload/index.cjs', 'out/renderer/index.html', 'out/library/index.d.ts'],
  'out/THIRD-PARTY-LICENSES.txt',
]
const stampFile = inProject('out', '.lcm-build-stamp')

/** Builds unless `out/` was made from exactly these sources. Reports a build on standard error. */
export async function ensureBuild() {
  if (isFresh(sourceHash())) return
  await withFileLock(inProject('.cache', 'build.lock'), 'build', async () => {
    const hash = sourceHash()
    if (isFresh(hash)) return
    say('building…')
    const { code } = await electronVite(runQuietOnStdout, ['--logLevel', 'warn'])
    if (code !== 0) throw new Refusal('the build failed, its reason is above.')
    mark(hash)
  })
}

/** Always builds, with the builder's own output. Used by the test run. */
export async function buildNow() {
  return await withFileLock(inProject('.cache', 'build.lock'), 'build', async () => {
    const hash = sourceHash()
    const result = await electronVite(run, ['--logLevel', 'warn'])
    if (result.code === 0) mark(hash)
    return result
  })
}

const electronVite = (runner, options) =>
  runner(nodeBinary, [inProject('node_modules/electron-vite/bin/electron-vite.js'), 'build', ...options], { cwd: root })

const isFresh = (hash) =>
  existsSync(stampFile) &&
  readFileSync(stampFile, 'utf8') === hash &&
  RESULTS.every((result) => existsSync(inProject(result)))

function mark(hash) {
  mkdirSync(inProject('out'), { recursive: true })
  writeFileSync(stampFile, hash)
}

/** One hash over the paths and contents of all sources. */
function sourceHash() {
  const hash = createHash('sha256')
  for (const source of SOURCES.flatMap(filesOf)) hash.update(`${source}\0`).update(readFileSync(inProject(source)))
  return hash.digest('hex')
}

function filesOf(path) {
  if (!existsSync(inProject(path))) return []
  if (/\.\w+$/.test(path)) return [path]
  return readdirSync(inProject(path), { withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .flatMap((entry) => (entry.isFile() ? [join(path, entry.name)] : filesOf(join(path, entry.name))))
    .sort()
}
