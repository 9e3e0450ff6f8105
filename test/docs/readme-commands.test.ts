import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lcmHere } from '../doors/cli/lcm.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const tutorial = readFileSync(join(root, 'docs/why-it-forgot.md'), 'utf8')
const commandsIn = (document: string): string[] =>
  [...document.matchAll(/`npx lcm ([^`]+)`/g)].map((match) => match[1] ?? '')
const commands = [...new Set([...commandsIn(readme), ...commandsIn(tutorial)])]

/** These run until they are ended: test/doors/cli/signals, test/doors/mcp and test/doors/engine hold them to it. */
const STAYING = ['serve', 'mcp', 'engine']

const folder = temporaryFolder()
const home = temporaryFolder()

/** The arguments as a shell in a folder with the copy of the sample would give them. */
function argumentsOf(line: string): string[] {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
  return words.map((word) => {
    if (word.startsWith('~/')) return join(home, word.slice(2))
    if (word.startsWith('resources/')) return join(root, word)
    return /^[\w-]+\.(db|ledger|html)$/.test(word) ? join(folder, word) : word
  })
}

describe('the commands of the README and of the tutorial', () => {
  beforeAll(() => {
    for (const page of [readme, tutorial]) expect(page).toContain('\ncp resources/sample.db sample.db\n')
    copyFileSync(join(root, 'resources/sample.db'), join(folder, 'sample.db'))
    const projects = join(home, '.claude/projects/-srv-kestrel-payments')
    mkdirSync(projects, { recursive: true })
    copyFileSync(join(root, 'resources/sample.jsonl'), join(projects, 'sample.jsonl'))
  })

  it('are written as they work in a checkout', () => {
    expect(commandsIn(readme).length).toBeGreaterThan(20)
    expect(commandsIn(tutorial).length).toBeGreaterThan(5)
    expect(readme).not.toMatch(/npm run .*lcm/)
  })

  it.each(commands.filter((line) => !STAYING.includes(line.split(' ')[0] ?? '')))(
    'run on the sample: npx lcm %s',
    async (line) => {
      const { code, stdout, stderr } = await lcmHere(argumentsOf(line), { env: { HOME: home } })
      expect([code, stderr.replace(/^lcm: this is conversation \d.*\n$/, '')], stderr).toEqual([0, ''])
      expect(stdout.trim()).not.toBe('')
      expect(stdout).not.toMatch(/Nothing has all the words|No summaries\.|^ {2}none$[\s\S]*^ {2}none$/m)
    },
  )
})
