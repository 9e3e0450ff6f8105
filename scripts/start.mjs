// `npm start [-- FILE]`: opens the inspector on a memory file, or on the sample memory.
// Options after the file are those of `lcm serve`; giving one asks for the browser.
import { bootstrap } from './bootstrap.mjs'
import { endLike, run } from './child.mjs'
import { fetchElectronUnlessFailed, findElectron, hasDisplay } from './electron-binary.mjs'
import { ensureBuild } from './ensure-build.mjs'
import { fromUser, inProject, main, root, say, userFolder } from './project.mjs'

/** A window that opened lives longer than this. Electron that cannot run here aborts at once. */
const STARTED_AFTER_MS = 10_000

await main(async () => {
  const args = process.argv.slice(2)
  const given = args[0] !== undefined && !args[0].startsWith('-') ? args[0] : undefined
  const options = given === undefined ? args : args.slice(1)
  const file = given === undefined ? inProject('resources', 'sample.db') : fromUser(given)
  const node = await bootstrap()
  await ensureBuild()

  const reason = options.length > 0 ? 'options of the browser host were given' : await openInElectron(file)
  if (reason === undefined) return
  say(`opening in the browser instead of a window: ${reason}.`)
  endLike(await run(node, [inProject('out/main/cli.js'), 'serve', '--db', file, ...options], { cwd: userFolder }))
})

/** Runs the window to its end. Returns why it could not run, or undefined. */
async function openInElectron(file) {
  if (process.env.LCM_NO_ELECTRON === '1') return 'LCM_NO_ELECTRON is set'
  if (!hasDisplay()) return 'there is no display'
  if (process.platform === 'linux' && process.getuid?.() === 0) return 'Electron does not run as root'
  const electron = findElectron() ?? (await fetchElectronUnlessFailed())
  if (electron === undefined)
    return 'Electron could not be fetched from github.com (when there is a network, "npm run fetch:electron" tries again)'
  // Terminals in editors set this variable, which would turn Electron into plain Node.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env
  const startedAtMs = Date.now()
  const ended = await run(electron, [root, file], { cwd: userFolder, env })
  const aborted = ['SIGTRAP', 'SIGABRT', 'SIGSEGV', 'SIGILL'].includes(ended.signal)
  if (aborted && Date.now() - startedAtMs < STARTED_AFTER_MS) return `Electron cannot run here (${ended.signal})`
  endLike(ended)
  return undefined
}
