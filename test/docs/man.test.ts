import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { inProject } from '#scripts/project.mjs'

const { man, bin } = JSON.parse(readFileSync(inProject('package.json'), 'utf8')) as {
  readonly man: readonly string[]
  readonly bin: Readonly<Record<string, string>>
}
const read = (file: string): string => readFileSync(inProject(file), 'utf8')
/** Programs that format a manual page and warn of what they do not understand. */
const FORMATTERS = [
  { command: 'mandoc', args: ['-Tlint', '-W', 'warning'] },
  { command: 'groff', args: ['-man', '-Tascii', '-ww', '-z'] },
]
const KNOWN = /^\.(?:\\"|TH|SH|SS|TP|P|br|B|I|BR|RI)(?: |$)/

describe.each(man)('the manual page %s', (file) => {
  const lines = read(file).split('\n')

  it('is made of the macros of man(7), with a heading, a name and a synopsis', () => {
    expect(lines.filter((line) => /^[.']/.test(line) && !KNOWN.test(line))).toEqual([])
    expect(lines.filter((line) => /^\.S[HS]$/.test(line))).toEqual([])
    expect(lines.filter((line) => /^\.SH/.test(line)).slice(0, 3)).toEqual([
      '.SH NAME',
      '.SH SYNOPSIS',
      '.SH DESCRIPTION',
    ])
    // Old formatters read one byte a letter.
    expect(lines.filter((line) => /[^\x20-\x7e]/.test(line))).toEqual([])
  })

  it('is understood without a warning by the formatters of this machine', () => {
    for (const { command, args } of FORMATTERS) {
      const { error, stdout, stderr } = spawnSync(command, [...args, inProject(file)], { encoding: 'utf8' })
      // Not every machine has one; then the test of the macros stands alone.
      if (error === undefined) expect([command, stdout + stderr]).toEqual([command, ''])
    }
  })
})

it('every command that the package installs has a manual page', () => {
  expect(man.map((file) => /(\w[\w-]*)\.1$/.exec(file)?.[1]).sort()).toEqual(Object.keys(bin).sort())
})

it('the manual page of lcm has every command of the reference', () => {
  const commands = [...read('docs/reference.md').matchAll(/^### lcm (?!call .)(\S+)/gm)].map(([, name = '']) => name)
  const page = read('docs/man/lcm.1').replaceAll('\\-', '-')
  expect(commands.length).toBeGreaterThan(40)
  expect(commands.filter((name) => !new RegExp(`^\\.SS "lcm ${name}[ "]`, 'm').test(page))).toEqual([])
})
