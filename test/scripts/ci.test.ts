import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { inProject } from '#scripts/project.mjs'
import { temporaryFolder } from '../builders/temporary-folder.ts'

type Project = { readonly path: string; readonly data: string; readonly temporary: string }

/** A project with the real `.ci/run`, whose own tests say what they see and end as they are told to. */
function project(test: string, field: string): Project {
  const folder = temporaryFolder()
  const path = join(folder, 'project')
  mkdirSync(join(path, '.ci'), { recursive: true })
  cpSync(inProject('scripts'), join(path, 'scripts'), { recursive: true })
  cpSync(inProject('.ci/run'), join(path, '.ci/run'))
  writeFileSync(join(path, 'package.json'), JSON.stringify({ scripts: { test, 'test:field': field } }))
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'One'],
  ]) {
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
    expect(spawnSync('git', [...who, ...args], { cwd: path }).status).toBe(0)
  }
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  return { path, data: join(folder, 'shared'), temporary }
}

function run({ path, temporary }: Project): { code: number | null; lines: string[] } {
  const env = { ...process.env, TMPDIR: temporary, LCM_FIELD_DATA: '' }
  const { status, stdout } = spawnSync(join(path, '.ci/run'), { env, encoding: 'utf8' })
  return { code: status, lines: stdout.trimEnd().split('\n') }
}

const GREEN = "echo 'TEST' $(ls -A | tr '\\n' ' ') && echo '5 passed, 0 failed, 2 skipped'"
const RED = "echo '4 passed, 1 failed, 0 skipped' && exit 1"
const FIELD = "echo 'FIELD' $LCM_FIELD_DATA && echo '7 passed, 0 failed, 0 skipped'"

describe('.ci/run', () => {
  beforeEach(({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no shell that runs it')
  })
  it('tests what is committed in an otherwise empty folder, and removes the folder', () => {
    const made = project(GREEN, FIELD)
    writeFileSync(join(made.path, 'not-committed.txt'), '')
    const { code, lines } = run(made)
    expect(code).toBe(0)
    expect(lines.at(-1)).toBe('5 passed, 0 failed, 2 skipped')
    expect(lines.find((line) => line.startsWith('TEST'))).toBe('TEST .ci .git package.json scripts')
    expect(lines.join('\n')).toContain('test:field is left out')
    expect(readdirSync(made.temporary)).toEqual([])
  })

  it('runs the field tests, too, when there are real files beside the original, and adds the counts', () => {
    const made = project(GREEN, FIELD)
    for (const name of ['fixtures', 'data']) mkdirSync(join(made.data, name), { recursive: true })
    const { code, lines } = run(made)
    expect([code, lines.at(-1)]).toEqual([0, '12 passed, 0 failed, 2 skipped'])
    expect(lines).toContain(`FIELD ${made.data}`)
  })

  it('fails when one of them fails, and runs the second even then', () => {
    const made = project(RED, FIELD)
    for (const name of ['fixtures', 'data']) mkdirSync(join(made.data, name), { recursive: true })
    const { code, lines } = run(made)
    expect([code, lines.at(-1)]).toEqual([1, '11 passed, 1 failed, 0 skipped'])
    expect(readdirSync(made.temporary)).toEqual([])
  })
})

it('says in one line that test:field is left out when there are no real files', () => {
  const env = { ...process.env, LCM_FIELD_DATA: temporaryFolder() }
  const { status, stdout } = spawnSync(process.execPath, [inProject('scripts/test-field.mjs')], {
    env,
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  expect(stdout).toMatch(/^test:field is left out: .*\n$/)
})
