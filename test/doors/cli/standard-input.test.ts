import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliPath } from '#test/builders/built-program.ts'
import { TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { Stats } from './documents.ts'
import { document, ended, environment, type Ran } from './lcm.ts'

const folder = temporaryFolder()
const spools = join(folder, 'tmp')
mkdirSync(spools)
const at = (name: string): string => join(folder, name)

/** `… | lcm import - …`; what it reads from is given back open. */
function importing(db: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [cliPath, 'import', '-', '--db', db, '--json', ...args], {
    env: environment({ TMPDIR: spools }),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

function piped(input: string, db: string, ...args: string[]): Promise<Ran> {
  const child = importing(db, ...args)
  child.stdin?.end(input)
  return ended(child)
}

function session(): string {
  const story = new TranscriptBuilder('cccccccc-0000-4000-8000-000000000003')
  story.user('Which refunds were they?')
  story.answer('api_1', [text('Two, both one cent off.')])
  return readFileSync(story.write('session.jsonl', folder), 'utf8')
}

describe('lcm map --input -', () => {
  const retain = ['--retain', 'the total', '--record', folder, '--json', '--', process.execPath, '-e', 'console.log(7)']
  const mapping = (): ChildProcess =>
    spawn(process.execPath, [cliPath, 'map', 'agentic', '--input', '-', ...retain], {
      env: environment({ TMPDIR: spools }),
      stdio: ['pipe', 'pipe', 'pipe'],
    })

  it('works on the items of standard input, records them by that name, and names it when they are none', async () => {
    const child = mapping()
    child.stdin?.end('[{"n":1},{"n":2}]')
    const ran = await ended(child)
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(JSON.parse(ran.stdout)).toMatchObject({ items: 2, completed: 2, results: [{ output: 7 }, { output: 7 }] })
    const [journal = ''] = readdirSync(at('map-runs'))
    expect(readFileSync(join(at('map-runs'), journal), 'utf8')).toContain('"input":"standard input"')
    const wrong = mapping()
    wrong.stdin?.end('roses are red')
    expect(await ended(wrong)).toMatchObject({ code: 2, stderr: expect.stringMatching(/^lcm: \w+: standard input/) })
    expect(readdirSync(spools)).toEqual([])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with exit code 130 on %s while the pipe stays open', async (signal) => {
    const child = mapping()
    const ran = ended(child)
    child.stdin?.write('[{"n":1},')
    await expect.poll(() => readdirSync(spools).length).toBe(1)
    child.kill(signal)
    expect(await ran).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/^lcm: cancelled: .*nothing was called/),
    })
    expect(readdirSync(spools)).toEqual([])
  })
})

describe('lcm import -', () => {
  it('imports a transcript from standard input once, and only what is new when it has grown', async () => {
    const db = at('session.db')
    const [first = '', second = ''] = session().trim().split('\n')
    expect(JSON.parse((await piped(`${first}\n`, db)).stdout)).toMatchObject({ added: 1 })
    expect(JSON.parse((await piped(`${first}\n${second}\n`, db)).stdout)).toMatchObject({ added: 1, alreadyThere: 1 })
    const { code, stdout } = await piped(session(), db)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      added: 0,
      alreadyThere: 2,
      files: [{ path: '-', format: 'claude-code', error: null }],
    })
    expect(readdirSync(spools)).toEqual([])
  })

  it('recognises transcripts without a session id by their content', async () => {
    const db = at('unnamed.db')
    const talk = (answer: string): string =>
      JSON.stringify([
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: answer },
      ])
    for (const answer of ['ho', 'hello', 'ho']) expect((await piped(talk(answer), db)).code).toBe(0)
    expect(await document(Stats, ['stats', '--db', db])).toMatchObject({ conversations: 2, messages: 4 })
  })

  it('accepts files together with standard input, and reports what is no transcript as "-"', async () => {
    const db = at('both.db')
    session()
    expect(JSON.parse((await piped('roses are red\n', db, at('session.jsonl'))).stdout)).toMatchObject({
      added: 2,
      files: [
        { path: '-', error: expect.stringMatching(/not a transcript/) },
        { path: at('session.jsonl'), error: null },
      ],
    })
    const ran = await piped('roses are red\n', at('none.db'))
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringMatching(/^lcm: transcript_unreadable: standard input: /)])
    expect((await piped('', at('none.db'))).code).toBe(1)
    expect(readdirSync(folder)).not.toContain('none.db')
  })

  it('ends with exit code 130 on Ctrl-C while it waits, and leaves no file behind', async () => {
    const child = importing(at('waiting.db'))
    const ran = ended(child)
    child.stdin?.write(session())
    await expect.poll(() => readdirSync(spools).length).toBe(1)
    child.kill('SIGINT')
    expect(await ran).toMatchObject({ code: 130, stderr: expect.stringMatching(/^lcm: cancelled: /) })
    expect(readdirSync(spools)).toEqual([])
    expect(readdirSync(folder)).not.toContain('waiting.db')
  })
})
