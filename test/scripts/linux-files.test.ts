import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { writeCompletions } from '#scripts/completions.ts'
import { inProject } from '#scripts/project.mjs'
import { cliPath } from '../builders/built-program.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

type Packed = { readonly fpm: readonly string[] }
const { deb, rpm } = parse(readFileSync(inProject('electron-builder.yml'), 'utf8')) as Readonly<Record<string, Packed>>
const completions = temporaryFolder()

it('packages for Linux install files that exist, where the manual and the shells look for them', async () => {
  await writeCompletions(completions)
  const pairs = deb?.fpm.map((pair) => pair.split('=') as [string, string]) ?? []
  expect(rpm?.fpm).toEqual(deb?.fpm)
  const missing = pairs.filter(
    ([from]) => !existsSync(from.replace(/^out\/completions/, completions).replace(/^docs/, inProject('docs'))),
  )
  expect(missing).toEqual([])
  expect(pairs.map(([, to]) => to)).toEqual([
    '/usr/share/man/man1/lcm.1',
    '/usr/share/man/man1/lcm-inspector.1',
    '/usr/share/bash-completion/completions/lcm',
    '/usr/share/zsh/site-functions/_lcm',
    '/usr/share/fish/vendor_completions.d/lcm.fish',
  ])
})

it('the completion that packages for Linux install is what lcm completion prints', async () => {
  await writeCompletions(completions)
  const printed = execFileSync(process.execPath, [cliPath, 'completion', 'bash'], { encoding: 'utf8' })
  expect(readdirSync(completions).sort()).toEqual(['_lcm', 'lcm', 'lcm.fish'])
  expect(readFileSync(join(completions, 'lcm'), 'utf8').trimEnd()).toBe(printed.trimEnd())
})
