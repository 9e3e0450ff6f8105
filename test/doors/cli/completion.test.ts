import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { lcmHere } from './lcm.ts'

const folder = temporaryFolder()
const isFound = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

/** How a shell that has loaded the script is asked what it offers for the last of some words. */
const ASK: Readonly<Record<string, (script: string, words: readonly string[]) => string[]>> = {
  bash: (script, words) => [
    '-c',
    `source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _lcm; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    ...words,
  ],
  fish: (script, words) => [
    '-c',
    `source ${script}; complete -C ${JSON.stringify(words.join(' '))} | string split -f1 \\t`,
  ],
}
const shells = Object.keys(ASK).filter(isFound)

beforeAll(async () => {
  mkdirSync(join(folder, 'sub'))
  writeFileSync(join(folder, 'memory.db'), '')
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await lcmHere(['completion', shell])
    expect(code).toBe(0)
    writeFileSync(join(folder, `lcm.${shell}`), stdout)
  }
})

function offered(shell: string, ...words: string[]): string[] {
  const args = ASK[shell]?.(join(folder, `lcm.${shell}`), words) ?? []
  return execFileSync(shell, args, { cwd: folder, encoding: 'utf8' }).split('\n').filter(Boolean)
}

describe('lcm completion', () => {
  it('is tested in a real shell', () => {
    expect(shells).toContain('bash')
  })

  it.each(shells)('offers commands, aliases and procedures in %s', (shell) => {
    expect(offered(shell, 'lcm', 'gre')).toEqual(['grep'])
    expect(offered(shell, 'lcm', 'sum')).toEqual(expect.arrayContaining(['summarize', 'summary']))
    expect(offered(shell, 'lcm', 'call', 'strata.')).toEqual(['strata.get', 'strata.messages'])
  })

  it.each(shells)('offers the options of a command and of a procedure in %s', (shell) => {
    expect(offered(shell, 'lcm', 'grep', 'x', '--li')).toEqual(['--limit'])
    expect(offered(shell, 'lcm', 'serve', '--no')).toEqual(['--no-open'])
    expect(offered(shell, 'lcm', 'call', 'strata.get', '--fr')).toEqual(['--fresh-tail'])
  })

  it.each(shells)('offers the values of a closed list in %s', (shell) => {
    expect(offered(shell, 'lcm', 'grep', 'x', '--mode', 'l')).toEqual(['literal'])
    expect(offered(shell, 'lcm', 'compact', '--mode', 'u')).toEqual(['until-under'])
    expect(offered(shell, 'lcm', 'call', 'strata.get', '--axis', 't')).toEqual(['tokens', 'time'])
    expect(offered(shell, 'lcm', 'ledger', 're')).toEqual(['rebuild'])
  })

  it.each(shells)('offers files where a path belongs, and nothing where only the user knows in %s', (shell) => {
    expect(offered(shell, 'lcm', 'stats', '--db', 'mem')).toEqual(['memory.db'])
    expect(offered(shell, 'lcm', 'import', 'mem')).toEqual(['memory.db'])
    expect(offered(shell, 'lcm', 'grep', 'x', '--limit', '')).toEqual([])
  })

  it.each(['zsh', 'fish'])('names every command and its options for %s, and quotes what it says of them', (shell) => {
    const script = execFileSync('cat', [join(folder, `lcm.${shell}`)], { encoding: 'utf8' })
    for (const word of ['expand-query', 'strata.get', 'until-under', 'token-cap']) expect(script).toContain(word)
    expect((script.match(/'/g) ?? []).length % 2).toBe(0)
  })
})
