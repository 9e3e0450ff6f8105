import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { _electron } from '@playwright/test'
import { parseAst } from 'vite'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadPackager } from '#scripts/ensure-packager.mjs'
import { inProject } from '#scripts/project.mjs'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { appEnvironment } from '../e2e/app-environment.ts'

const { build, extractAll, extractFile, listPackage, Platform, statFile } = await loadPackager()

/** Where the program of a window, its core, and the process of SQL statements begin. */
const STARTS = ['out/main/index.js', 'out/main/worker.js', 'out/main/statement-process.js', 'out/preload/index.cjs']
const PROVIDED = /^(?:node:|electron$|pg-native$)/
/** What a command of the command line needs is loaded when its name is given, which a window never does. */
const OF_COMMANDS = /\/(?:browser-host|completion-scripts|serve-stdio|[a-z-]+-commands?)-[\w-]+\.js$/

const folder = temporaryFolder()
const resources = join(folder, 'release/linux-unpacked/resources')
const archive = join(resources, 'app.asar')
/** Paths in the archive, with forward slashes and without the first one. */
let paths: readonly string[] = []

/** Packs the built program for Linux, into a folder in which an empty program stands for Electron. */
beforeAll(async () => {
  const electronDist = join(folder, 'electron')
  mkdirSync(join(electronDist, 'resources'), { recursive: true })
  for (const name of ['electron', 'LICENSE', 'LICENSES.chromium.html']) writeFileSync(join(electronDist, name), '')
  chmodSync(join(electronDist, 'electron'), 0o755)
  await build({
    targets: Platform.LINUX.createTarget('dir'),
    publish: 'never',
    projectDir: inProject('.'),
    // In place of these values of electron-builder.yml. The fuses are bits of Electron's own program.
    config: { electronDist, electronFuses: null, directories: { output: join(folder, 'release') } },
  })
  paths = listPackage(archive, { isPack: false })
    .map((path) => path.replaceAll('\\', '/').slice(1))
    .filter((path) => !('files' in statFile(archive, path)))
})

describe('the packed app', () => {
  it('takes at most 25 MB without Electron', () => {
    expect(statSync(archive).size / 1e6).toBeLessThanOrEqual(25)
  })

  it('holds the built program and the packages that it requires, without sources and maps', () => {
    const folders = paths.map((path) => path.split('/').slice(0, 2).join('/'))
    const own = [...new Set(folders)].filter((one) => !one.startsWith('node_modules/')).sort()
    expect(own).toEqual(['out/main', 'out/preload', 'out/renderer', 'package.json'])
    expect(paths.filter((path) => /\.(?:map|tsx|c|h|gyp)$/.test(path) || path.startsWith('out/library/'))).toEqual([])
    const { dependencies } = JSON.parse(readFileSync(inProject('package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    for (const name of Object.keys(dependencies))
      expect
        .soft(
          paths.some((path) => path.startsWith(`node_modules/${name}/`)),
          name,
        )
        .toBe(true)
  })

  it('has the licences of what it holds beside the archive, where they can be read', () => {
    const text = readFileSync(join(resources, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
    expect(text).toBe(readFileSync(inProject('out/THIRD-PARTY-LICENSES.txt'), 'utf8'))
  })

  it('has one SQLite binding, for the system that it is packed for, beside the archive', () => {
    const bindings = paths.filter((path) => path.endsWith('.node'))
    expect(bindings).toEqual(['node_modules/better-sqlite3/prebuilds/linux-x64.node'])
    for (const path of bindings) {
      expect(statFile(archive, path)).toMatchObject({ unpacked: true })
      expect(statSync(join(resources, 'app.asar.unpacked', path)).size).toBeGreaterThan(1e6)
    }
    expect(statSync(join(resources, 'resources/sample.db')).isFile()).toBe(true)
  })

  it('holds every script that its own scripts import', () => {
    const missing: string[] = []
    const seen = new Set<string>()
    const look = (path: string): void => {
      if (seen.has(path)) return
      seen.add(path)
      for (const name of importsOf(extractFile(archive, path).toString())) {
        if (PROVIDED.test(name) || OF_COMMANDS.test(name)) continue
        const target = name.startsWith('.') ? posix.join(posix.dirname(path), name) : null
        if (target === null) {
          if (!paths.some((one) => one.startsWith(`node_modules/${packageOf(name)}/`))) missing.push(`${path}: ${name}`)
        } else if (paths.includes(target)) look(target)
        else missing.push(`${path}: ${name}`)
      }
    }
    for (const start of STARTS) look(start)
    expect(missing).toEqual([])
    expect(seen.size).toBeGreaterThan(20)
  })

  it('starts with nothing but what was packed, opens the sample, finds a word in it, and quits', async ({ skip }) => {
    skip(`${process.platform} ${process.arch}` !== 'linux x64', 'what is packed for Linux does not run here')
    // The stand-in for Electron reads no archive.
    const [app, home] = [join(folder, 'unpacked'), temporaryFolder()]
    extractAll(archive, app)
    cpSync(join(resources, 'resources'), join(app, 'resources'), { recursive: true })
    const running = await _electron.launch({
      executablePath: inProject('test/standin/electron'),
      args: [app, `--user-data-dir=${join(home, 'electron')}`],
      cwd: home,
      env: appEnvironment({ home, env: {} }),
    })
    const program = running.process()
    const ended = once(program, 'exit')
    try {
      const page = await running.firstWindow()
      page.setDefaultTimeout(60_000)
      await page.getByRole('button', { name: 'Open the sample' }).click()
      await page.getByRole('link', { name: 'Find', exact: true }).click()
      await page.getByRole('combobox', { name: 'Search messages and summaries' }).fill('PAY-1187')
      const hits = page.getByRole('grid', { name: 'Hits' }).getByRole('row').filter({ hasText: 'PAY-1187' })
      await hits.first().waitFor()
      await running.evaluate(({ app: ours }) => ours.quit()).catch(() => undefined)
      expect(await ended).toEqual([0, null])
    } finally {
      program.kill('SIGKILL')
    }
  })
})

const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/')

/** Everything that a script imports, also while it runs, as far as the name stands in it. */
function importsOf(code: string): string[] {
  const names: string[] = []
  const look = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) look(one)
    if (typeof node !== 'object' || node === null || !('type' in node)) return
    const { type, source } = node as { readonly type: string; readonly source?: { readonly value?: unknown } }
    if (/^(?:Import|Export).*(?:Declaration|Expression)$/.test(type) && typeof source?.value === 'string')
      names.push(source.value)
    for (const value of Object.values(node)) look(value)
  }
  look(parseAst(code, { sourceType: 'module' } as never))
  return names
}
