import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { readImports } from '#scripts/lint-tools.mjs'
import { inProject, root } from '#scripts/project.mjs'
import { temporaryFolder } from '../builders/temporary-folder.ts'

type Report = {
  readonly modules: readonly { readonly source: string; readonly dependencies: readonly unknown[] }[]
  readonly summary: {
    readonly violations: readonly { readonly rule: { readonly name: string }; readonly from: string }[]
  }
}

/** What the lint step reads in a folder. It ends with 0 when it reports as JSON, whatever it found. */
async function importsOf(folder: string): Promise<Report> {
  const { stdout } = await promisify(execFile)(process.execPath, readImports('json'), {
    cwd: folder,
    maxBuffer: 256 * 1024 * 1024,
  })
  return JSON.parse(stdout)
}

describe('the import rules', () => {
  // With a parser that cannot read TypeScript the tool reads no file, finds no violation and passes.
  it('are checked for every file of the source, including imports of types', async () => {
    const { modules, summary } = await importsOf(root)
    expect(modules.filter(({ source }) => source.startsWith('core/')).length).toBeGreaterThan(300)
    expect(modules.filter(({ source }) => source.startsWith('renderer/')).length).toBeGreaterThan(300)
    expect(modules.flatMap(({ dependencies }) => dependencies).length).toBeGreaterThan(4000)
    expect(summary.violations).toEqual([])
  })
})

/** One wrong import for each rule: the file that holds it, and what it imports. */
const PLANTED = [
  ['unresolved', 'core/doctor/lost.ts', './nowhere.ts'],
  ['cycle', 'core/doctor/circle-a.ts', './circle-b.ts'],
  ['no room', 'core/agents/homeless.ts', '../attic/target.ts'],
  ['floor of contract', 'core/contract/up.ts', '../systems/target.ts'],
  ['floor of memory', 'core/memory/sideways.ts', '../models/target.ts'],
  ['floor of systems', 'core/systems/up.ts', '../doctor/target.ts'],
  ['floor of window', 'core/window/sideways.ts', '../search/target.ts'],
  ['floor of search', 'core/search/up.ts', '../browse/target.ts'],
  ['floor of doctor', 'core/doctor/up.ts', '../core.ts'],
  ['floor of jobs', 'core/jobs/sideways.ts', '../machine/target.ts'],
  ['floor of lcm.ts', 'core/lcm.ts', './jobs/target.ts'],
  ['ground', 'core/text.ts', './sqlite/target.ts'],
  ['driver', 'core/doctor/native-driver.ts', 'better-sqlite3'],
  ['driver', 'core/doctor/own-driver.ts', 'node:sqlite'],
  ['driver of PostgreSQL', 'core/remote/own-driver.ts', 'pg'],
  ['client of S3', 'core/doors/own-client.ts', 'aws4fetch'],
  ['ledgers', 'core/doctor/past-the-ledgers.ts', '../ledger/target.ts'],
  ['databases', 'core/doors/past-the-interface.ts', '../remote/target.ts'],
  ['rpc', 'core/doctor/rpc.ts', '@orpc/server'],
  ['pure contract', 'core/contract/file.ts', 'node:fs'],
  ['pure memory', 'core/memory/file.ts', 'node:path'],
  ['pure memory', 'core/memory/package.ts', 'zod'],
  ['systems apart', 'core/systems/decapod/other.ts', '../argentos/target.ts'],
  ['features apart', 'renderer/features/graph/other.ts', '../strata/target.ts'],
  ['window', 'renderer/core.ts', '../core/systems/target.ts'],
  ['window without Node', 'renderer/file.ts', 'node:fs'],
  ['shell', 'electron/main/other.ts', '../../core/doctor/target.ts'],
] as const

describe('an import that breaks a rule', () => {
  const folder = temporaryFolder()
  let found: readonly string[] = []

  beforeAll(async () => {
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const planted = new Set<string>(PLANTED.map(([, file]) => file))
    for (const [, file, target] of PLANTED) {
      // Half of them import a type, which is erased when the program runs and counts as an import all the same.
      const isType = target.endsWith('target.ts')
      write(file, `import ${isType ? 'type ' : ''}{ a } from '${target}'\nexport const b = a as unknown\n`)
      const path = join(dirname(file), target)
      if (target.endsWith('.ts') && target !== './nowhere.ts' && !planted.has(path)) write(path, 'export type a = 1\n')
    }
    // The other half of the cycle, which is reported once.
    write('core/doctor/circle-b.ts', `import type { b } from './circle-a.ts'\nexport type a = typeof b\n`)
    symlinkSync(inProject('node_modules'), join(folder, 'node_modules'), 'junction')
    const { summary } = await importsOf(folder)
    found = summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`)
  })

  it.each(PLANTED)('is reported: %s in %s', (rule, file) => {
    expect(found).toContain(`${rule}: ${file}`)
  })

  it('causes no report on any other file', () => {
    expect(new Set(found.map((line) => line.split(': ')[1]))).toEqual(new Set(PLANTED.map(([, file]) => file)))
  })
})
