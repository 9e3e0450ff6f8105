// Starts an app the way the Electron binary does: `electron [switches] APP [arguments]`.
import { readFileSync } from 'node:fs'
import inspector from 'node:inspector'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { commandLine, readCommandLine } from './module/command-line.mjs'

readCommandLine(process.argv.slice(2))

// Hooks belong to this thread, so the app's worker threads see no `electron` module, as in Electron.
const electronModule = new URL('./module/electron.mjs', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier === 'electron/main'
      ? { url: electronModule, format: 'module', shortCircuit: true }
      : next(specifier, context),
})

const electronPackage = new URL('../../node_modules/electron/package.json', import.meta.url)
const versions = {
  ...process.versions,
  electron: `${JSON.parse(readFileSync(electronPackage, 'utf8')).version}-standin`,
}
Object.defineProperty(process, 'versions', { value: Object.freeze(versions) })
Object.assign(process, { type: 'browser', defaultApp: true, resourcesPath: commandLine.appPath })
process.argv = [new URL('./electron', import.meta.url).pathname, ...commandLine.argv]

// Playwright connects to this inspector, calls the function, and only then expects `ready`.
const released = Promise.withResolvers()
globalThis.__playwright_run = released.resolve
if (commandLine.inspected) inspector.open(0)
else released.resolve()

const { startDesktop } = await import('./module/start.mjs')
try {
  await import(pathToFileURL(commandLine.entry).href)
  await startDesktop(released.promise)
} catch (error) {
  console.error(error)
  process.exit(1)
}
