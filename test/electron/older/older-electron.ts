import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import { inProject } from '#scripts/project.mjs'
import { packageFolder } from '#test/builders/built-program.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

/** The binary of an Electron that is older than the one the app is made for: the environment variable LCM_ELECTRON. */
export const olderElectron = (): string | undefined => process.env.LCM_ELECTRON

/** What the start of an older Electron is told. */
export type OlderStart = { readonly executablePath: string; readonly env: Readonly<Record<string, string>> }

let prepared: Promise<OlderStart> | undefined

/**
 * Makes an older Electron start the built app: its folder `resources/app` is replaced by the compatibility start in this
 * folder, and the built main process is put into one CommonJS file, because before Electron 28 it could be nothing else.
 */
export function prepareOlderElectron(executablePath: string): Promise<OlderStart> {
  prepared ??= prepare(executablePath)
  return prepared
}

async function prepare(executablePath: string): Promise<OlderStart> {
  const app = join(temporaryFolder(), 'app')
  mkdirSync(join(app, 'out/main'), { recursive: true })
  for (const folder of ['out/preload', 'out/renderer', 'resources'])
    symlinkSync(join(packageFolder, folder), join(app, folder), 'junction')
  // The core thread is found beside the main process, with the files that it loads.
  for (const name of ['chunks', 'packages', 'worker.js', 'statement-process.js'])
    symlinkSync(join(packageFolder, 'out/main', name), join(app, 'out/main', name))
  await bundleMain(join(app, 'out/main'))
  placeStart(dirname(executablePath))
  return { executablePath, env: { LCM_OLDER_APP: app, LCM_NODE: process.execPath } }
}

async function bundleMain(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: packageFolder,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: join(packageFolder, 'out/main/index.js'),
      outDir,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'node18',
      rolldownOptions: {
        external: ['electron', 'better-sqlite3', 'pg'],
        output: { format: 'cjs', entryFileNames: 'index.cjs', codeSplitting: false },
      },
    },
  })
}

/** A packaged Electron starts what lies in its own folder. */
function placeStart(runtime: string): void {
  const resources = join(runtime, 'resources')
  for (const name of ['app', 'resources']) rmSync(join(resources, name), { recursive: true, force: true })
  cpSync(import.meta.dirname, join(resources, 'app'), { recursive: true })
  const { name, version } = JSON.parse(readFileSync(inProject('package.json'), 'utf8')) as Record<string, string>
  writeFileSync(join(resources, 'app/package.json'), JSON.stringify({ name, version, main: 'start.cjs' }))
  // Where a packaged app has its own.
  cpSync(join(resources, 'app/package.json'), join(resources, 'package.json'))
  symlinkSync(inProject('resources'), join(resources, 'resources'), 'junction')
}
