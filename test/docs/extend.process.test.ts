import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { inProject } from '#scripts/project.mjs'
import { typeCompiler } from '#scripts/type-compiler.mjs'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/** A block of code of a page about extending: a whole new file, or a change of one that exists. */
type Block = { readonly path: string; readonly isChange: boolean; readonly text: string }

/** The blocks of a page that name a file behind their language, in order. */
const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(/^```(\w+) (\S+)\n([\s\S]*?)^```$/gm)].map(([, language = '', path = '', text = '']) => ({
    path,
    isChange: language === 'diff',
    text,
  }))

/**
 * What the file holds after the block. Changes of several places are parted by a line of `@@`.
 * @throws Error when the lines around a change stand nowhere in the file, or more than once
 */
const appliedTo = (file: string, { path, isChange, text }: Block): string =>
  isChange ? text.split('@@\n').reduce((source, hunk) => changed(source, hunk, path), readFileSync(file, 'utf8')) : text

function changed(source: string, hunk: string, path: string): string {
  const side = (without: '+' | '-'): string =>
    hunk
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith(without))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const pieces = source.split(side('+'))
  if (pieces.length !== 2) throw new Error(`${path} has these lines ${pieces.length - 1} times:\n${side('+')}`)
  return pieces.join(side('-'))
}

/** The tests that a page says to run. */
const testsIn = (page: string): readonly string[] =>
  [...page.matchAll(/npm test -- --only=\w+ (.+)$/gm)].flatMap(([, files = '']) => files.split(' '))

// Takes half a minute: the pages are followed in a copy of the sources, whose types are checked and whose tests run.

type Told = { readonly stdout: string; readonly stderr: string }

const run = promisify(execFile)
const PAGES = inProject('docs/extend')
const COPIED = [
  'core',
  'docs',
  'renderer',
  'resources',
  'scripts',
  'test',
  'package.json',
  'tsconfig.base.json',
  'vitest.config.ts',
]
const pages = readdirSync(PAGES).map((name) => ({ name, text: readFileSync(join(PAGES, name), 'utf8') }))
const copy = temporaryFolder()

/** Pictures and what was built are not needed. */
const isLeftOut = (path: string): boolean => /[\\/](?:screenshots|views|node_modules)$/.test(path)

beforeAll(() => {
  for (const name of COPIED)
    cpSync(inProject(name), join(copy, name), { recursive: true, filter: (path) => !isLeftOut(path) })
  symlinkSync(inProject('node_modules'), join(copy, 'node_modules'), 'junction')
  for (const { text } of pages)
    for (const block of blocksOf(text)) {
      const path = join(copy, block.path)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, appliedTo(path, block))
    }
})

it('there is a page for an agent, a command, a rule, a system and a view, of at most 80 lines', () => {
  expect(pages.map(({ name }) => basename(name, '.md')).sort()).toEqual(['agent', 'command', 'rule', 'system', 'view'])
  const long = pages.filter(({ text }) => text.trimEnd().split('\n').length > 80)
  expect(long.map(({ name }) => name)).toEqual([])
})

it.concurrent('every file that the pages about extending add or change has the types that its callers expect', async ({
  expect,
}) => {
  const files = pages
    .flatMap(({ text }) => blocksOf(text).map(({ path }) => path))
    .filter((path) => /\.tsx?$/.test(path))
  const settings = {
    extends: './test/tsconfig.json',
    include: [],
    files: [...new Set(files)].map((file) => `./${file}`),
    compilerOptions: { types: ['node', 'vite/client'] },
  }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(settings))
  const types = [...typeCompiler, '-p', 'tsconfig.json', '--noEmit']
  const { stdout } = await run(process.execPath, types, { cwd: copy }).catch((error: Told) => error)
  expect(stdout).toBe('')
})

it.concurrent('every test that the pages about extending name passes once they were followed', async ({ expect }) => {
  const include = [...new Set(pages.flatMap(({ text }) => testsIn(text)))]
  const settings = { include, globalSetup: ['test/sqlite/written-files.ts'], reporters: ['dot'] }
  const config = `import { everyTest } from './vitest.config.ts'
    export default { test: { ...everyTest, ...${JSON.stringify(settings)} } }`
  writeFileSync(join(copy, 'vitest.toys.config.ts'), config)
  const vitest = [inProject('node_modules/vitest/vitest.mjs'), 'run', '--config', 'vitest.toys.config.ts']
  const env = { ...process.env, SYSTEM_FILES_FOLDER: temporaryFolder(), LCM_TEST_RECORD: 'write' }
  const told = await run(process.execPath, vitest, { cwd: copy, env }).catch((error: Told) => error)
  expect(stripVTControlCharacters(told.stdout), told.stderr).toContain(
    `Test Files  ${include.length} passed (${include.length})`,
  )
})
