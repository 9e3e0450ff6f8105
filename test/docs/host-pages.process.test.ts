import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lcmHere } from '../doors/cli/lcm.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'

const folder = join(import.meta.dirname, '../../docs/hosts')
const pages = readdirSync(folder)

/** Where each agent keeps its settings, which it made when it was started. */
const SETTINGS: Readonly<Record<string, string>> = {
  'claude-code.md': '.claude',
  'codex.md': '.codex',
  'hermes.md': '.hermes',
  'openclaw.md': '.openclaw',
  'opencode.md': '.config/opencode',
  'pi.md': '.pi/agent',
}

/** The first part of a page, which a new user follows from its first step to its last. */
const stepsOf = (page: string): string => readFileSync(join(folder, page), 'utf8').split(/^## /m)[1] ?? ''

/** What stands below a folder, with the bytes of each file. */
const contentsOf = (home: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(home, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(home, path)).isFile())
      .map((path) => [path, readFileSync(join(home, path), 'latin1')]),
  )

it.each(pages)('a new user can follow the steps of docs/hosts/%s', async (page) => {
  const home = temporaryFolder()
  const settings = join(home, SETTINGS[page] ?? 'unknown')
  mkdirSync(settings, { recursive: true })
  // The memory that somebody has who comes from another program.
  if (page === 'openclaw.md') copyFileSync(join(FIXTURES, 'lossless-claw/small.db'), join(settings, 'lcm.db'))
  const before = contentsOf(home)
  const data = temporaryFolder()
  const [env, memory] = [{ HOME: home, LCM_DATA_DIR: data, LCM_CACHE_DIR: data }, join(data, 'my-memory.db')]
  const lines = [...stepsOf(page).matchAll(/npx lcm ([^`\n]+)/g)].map(([, line]) => line ?? '')
  expect(lines.map((line) => line.split(' ')[0])).toEqual(expect.arrayContaining(['install', 'doctor', 'uninstall']))
  const changed: boolean[] = []
  for (const line of lines) {
    // It serves a window until it is told to end.
    if (line === 'open') continue
    const words = line.split(' ').map((word) => word.replace(/^~(?=\/)/, home).replace(/^my-memory\.db$/, memory))
    const { code, stdout, stderr } = await lcmHere(words, { env })
    // Nothing was heard of the agent yet, and that is said.
    expect([line, code, stderr]).toEqual([line, line === 'doctor' ? 3 : 0, ''])
    if (line === 'doctor') expect(stdout).toContain(': connected, sessions are kept in')
    if (line.startsWith('install')) changed.push(!isDeepStrictEqual(contentsOf(home), before))
    if (line.startsWith('install') && line.endsWith('--yes'))
      for (const [, path = ''] of stepsOf(page).matchAll(/(?:file,|folder|to|in) `~\/([^`]+)`/g))
        expect([path, existsSync(join(home, path))]).toEqual([path, true])
  }
  expect(changed).toEqual([false, true])
  expect(contentsOf(home)).toEqual(before)
})
