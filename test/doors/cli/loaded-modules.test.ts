import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { ended, environment } from './lcm.ts'

const sourcePath = join(import.meta.dirname, '../../../core/doors/cli.ts')

/** Writes down, in each thread, what is imported. https://nodejs.org/api/module.html#moduleregisterhooksoptions */
const recorder = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'
process.on('exit', () => {
  if (!isMainThread && process.moduleLoadList.some((name) => name.endsWith('deps/undici/undici')))
    appendFileSync(process.env.LOADED, 'thread node:fetch\\n')
})
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, (isMainThread ? 'main ' : 'thread ') + url + '\\n')
    return next(url, context)
  },
})
`

/** What a program loads, from the sources, where a module is a file: in its main thread, and in the one that it runs in. */
async function loadedBy(args: readonly string[], path = sourcePath): Promise<{ main: string[]; thread: string[] }> {
  const folder = temporaryFolder()
  const [recorderPath, loaded] = [join(folder, 'recorder.mjs'), join(folder, 'loaded')]
  writeFileSync(recorderPath, recorder)
  const program = ['--import', pathToFileURL(recorderPath).href, path, ...args]
  const child = spawn(process.execPath, program, {
    env: environment({ LOADED: loaded }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect(await ended(child)).toMatchObject({ code: 0, stderr: '' })
  const lines = readFileSync(loaded, 'utf8').trim().split('\n')
  const of = (thread: string): string[] =>
    lines.filter((line) => line.startsWith(`${thread} `)).map((line) => line.slice(thread.length + 1))
  return { main: of('main'), thread: of('thread') }
}

const heavy =
  /better-sqlite3|\/node_modules\/(?:pino|prom-client)\/|core\/(?:lcm|systems\/open|machine\/machine)\.ts|node:(?:http|sqlite)$|\/(?:ws|ai|ajv|@ai-sdk|@orpc)\//

it.each(['--version', '-V'])('lcm %s loads one file and starts no thread', async (option) => {
  const { main, thread } = await loadedBy([option])
  expect(main.filter((url) => !url.startsWith('node:'))).toEqual([pathToFileURL(sourcePath).href])
  expect(thread).toEqual([])
})

it.each([['--version --json'], ['--help'], ['integrity --help']])(
  'lcm %s loads no SQLite, no server and no model',
  async (line) => {
    const { main, thread } = await loadedBy(line.split(' '))
    expect(thread.some((url) => url.endsWith('core/doors/cli/program.ts'))).toBe(true)
    expect(thread.filter((url) => heavy.test(url))).toEqual([])
    expect(main.filter((url) => heavy.test(url) || url.includes('node_modules/string-width'))).toEqual([])
  },
)

it('lcm --help loads no command', async () => {
  const { thread } = await loadedBy(['--help'])
  expect(thread.filter((url) => /-commands?\.ts$/.test(url))).toEqual([])
})

it.each(['stats', 'call memory.stats'])(
  'lcm %s loads nothing that imports, copies, salvages or serves',
  async (line) => {
    using memory = buildMemory({ conversations: [{ messages: ['one'] }] })
    const { thread } = await loadedBy([...line.split(' '), '--db', memory.path])
    expect(thread.some((url) => url.endsWith('core/lcm.ts'))).toBe(true)
    const needless =
      /core\/(?:doctor\/(?:salvage|working-copy)|doors\/mcp|browse\/storage|compare\/transcript)\/|import-transcripts|doors\/browser-host|\/ws\//
    expect(thread.filter((url) => needless.test(url))).toEqual([])
  },
)

it('the thread of a window answers first without what imports, copies, salvages, matches patterns or calls a model', async () => {
  using memory = buildMemory({ conversations: [{ messages: ['one'] }] })
  const { thread } = await loadedBy([memory.path], join(import.meta.dirname, 'children/ask-core-thread.ts'))
  expect(thread.some((url) => url.endsWith('core/lcm.ts'))).toBe(true)
  const needless =
    /core\/(?:ingest\/transcripts\/(?:formats|import-|preview-)|doctor\/(?:salvage|working-copy|compare)\/|doors\/run-job)|\/(?:re2js|ai|@ai-sdk)\/|node:fetch$/
  expect(thread.filter((url) => needless.test(url))).toEqual([])
})

it('a program with the library loads what reads a memory only when it opens one', async () => {
  const library = join(import.meta.dirname, '../../../core/doors/library/library.ts')
  const { main } = await loadedBy([], library)
  expect(main.filter((url) => heavy.test(url) || /\/zod\/|core\/(?:core|router)\.ts/.test(url))).toEqual([])
})
