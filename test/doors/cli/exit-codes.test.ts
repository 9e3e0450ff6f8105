import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { copyOf } from '#test/sqlite/fixtures.ts'
import { Failure } from './documents.ts'
import { type LcmOptions, lcm, lcmHere, type Ran } from './lcm.ts'

const folder = temporaryFolder()
const at = (name: string): string => join(folder, name)
const memory = buildMemory({ conversations: [{ messages: ['one', 'two'] }, { messages: ['three'] }] })
memory.db.close()

type Refusal = { readonly exit: number; readonly code: string; readonly message: string; readonly retryable: boolean }

// The program itself is started once for each exit code, and where its surroundings matter.

/** Runs a command that must fail: one line on standard error, the same as a document on standard output. */
const refusal = async (args: readonly string[]): Promise<Refusal> => refusalIn(await lcmHere([...args, '--json']))

/** The same by the program itself. */
const refusalOf = async (args: readonly string[], options?: LcmOptions): Promise<Refusal> =>
  refusalIn(await lcm([...args, '--json'], options))

function refusalIn(ran: Ran): Refusal {
  const { error } = Failure.parse(JSON.parse(ran.stdout))
  expect(ran.stderr).toBe(`lcm: ${error.code}: ${error.message.replace(/\s+/g, ' ')}\n`)
  return { exit: ran.code ?? -1, code: error.code, message: error.message, retryable: error.retryable }
}

/** The same without --json: standard output stays empty. */
async function refusalAsText(args: readonly string[], run = lcmHere): Promise<string> {
  const ran = await run(args)
  expect(ran.stdout).toBe('')
  expect(ran.stderr).toMatch(/^lcm: [a-z_]+: .+\n$/)
  return `${ran.code} ${ran.stderr}`
}

describe('a file that cannot be opened', () => {
  beforeAll(() => {
    writeFileSync(at('notes.db'), 'these are notes, and no database at all, however long they may become in the end')
    writeFileSync(at('session.jsonl'), '{"type":"user","message":{"role":"user","content":"hi"}}\n')
    writeFileSync(at('empty.db'), '')
    const other = new Database(at('places.sqlite'))
    other.exec('CREATE TABLE moz_places (id); CREATE TABLE moz_cookies (id)')
    other.close()
    writeFileSync(at('cut.db'), readFileSync(memory.path).subarray(0, 50_000))
    copyFileSync(memory.path, at('damaged.db'))
    const damaged = openSync(at('damaged.db'), 'r+')
    writeSync(damaged, Buffer.alloc(3996, 0xff), 0, 3996, 100)
    closeSync(damaged)
    copyFileSync(memory.path, at('newer.db'))
    const newer = new Database(at('newer.db'))
    newer.exec('PRAGMA user_version = 99')
    newer.close()
  })

  it.each([
    ['a missing path', 'missing.db', 'file_missing', /check the path/],
    ['a missing folder', 'no-folder/lcm.db', 'file_missing', /check the path/],
    ['a folder', '', 'file_is_folder', /choose the memory file/],
    ['an empty file', 'empty.db', 'file_empty', /another file/],
    ['something that is no database', 'notes.db', 'not_a_database', /choose a memory file/],
    ['a transcript', 'session.jsonl', 'not_a_database', /lcm import/],
    ['a database of something else', 'places.sqlite', 'not_a_memory', /moz_cookies.*choose a memory file/],
    ['a truncated database', 'cut.db', 'file_truncated', /copy it again/],
    ['a damaged database', 'damaged.db', 'file_corrupt', /backup/],
    ['a newer version', 'newer.db', 'newer_version', /update the app/],
  ])('is refused with exit code 5, its own code, and the next step: %s', async (_what, name, code, advice) => {
    const refused = await refusal(['stats', '--db', at(name)])
    expect(refused).toMatchObject({ exit: 5, code, retryable: false })
    expect(refused.message).toMatch(advice)
    expect(refused.message).toContain(at(name).replace(/\/$/, ''))
  })

  it('is refused with exit code 5 when there is no permission to read it', async () => {
    copyFileSync(memory.path, at('private.db'))
    chmodSync(at('private.db'), 0o000)
    chmodSync(folder, 0o755)
    chmodSync(dirname(folder), 0o755)
    const asOrdinary = { ordinary: true, cwd: '/', env: { NODE_COMPILE_CACHE: '' } }
    const refused = await refusalOf(['stats', '--db', at('private.db')], asOrdinary)
    expect(refused).toMatchObject({ exit: 5, code: 'file_not_readable' })
    expect(refused.message).toMatch(/permissions/)
  })

  it('is refused the same way by every command', async () => {
    const commands = [
      ['tree'],
      ['context'],
      ['grep', 'x'],
      ['describe', 'msg_1'],
      ['expand', 'sum_1'],
      ['lineage', 'msg_1'],
      ['integrity'],
      ['compact'],
      ['compact', '--plan'],
      ['import', at('session.jsonl')],
    ]
    for (const command of commands)
      expect((await lcmHere([...command, '--db', at('notes.db')])).code, command.join(' ')).toBe(5)
  })

  it('is opened read-only with --newer when its version is newer', async () => {
    const ran = await lcmHere(['stats', '--db', at('newer.db'), '--newer', '--json'])
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout)).toMatchObject({ messages: 3, readOnly: true })
    const refused = await refusal(['compact', '--db', at('newer.db'), '--newer', '--conversation', '1'])
    expect(refused).toMatchObject({ exit: 1, code: 'read_only_file' })
  })

  it('is named in the error when only the configuration named it', async () => {
    const env = { LCM_DATABASE_PATH: at('configured.db') }
    expect((await refusalOf(['stats'], { env })).message).toContain(at('configured.db'))
  })
})

describe('wrong usage', () => {
  const onDb = (...args: string[]): string[] => [...args, '--db', memory.path]

  it.each([
    ['an unknown command', ['frobnicate']],
    ['an unknown command with --help', ['frobnicate', '--help']],
    ['an unknown command with --help before it', ['--help', 'frobnicate']],
    ['an unknown action with --help', ['ledger', 'frobnicate', '--help']],
    ['an unknown action with --help before it', ['ledger', '-h', 'frobnicate']],
    ['an unknown command with --version', ['frobnicate', '--version']],
    ['help on an unknown command', ['help', 'frobnicate']],
    ['an unknown option', onDb('stats', '--frobnicate')],
    ['a missing argument', onDb('grep')],
    ['a missing argument of an import', onDb('import')],
    ['an argument too many', onDb('describe', 'msg_1', 'msg_2')],
    ['an option without its value', onDb('stats', '--newer', '--db')],
    ['a limit of 0', onDb('grep', 'x', '--limit', '0')],
    ['a limit that is no number', onDb('grep', 'x', '--limit', 'many')],
    ['a time that is none', onDb('grep', 'x', '--after', 'yesterday')],
    ['an unknown mode', onDb('grep', 'x', '--mode', 'fuzzy')],
    ['an unknown role', onDb('grep', 'x', '--role', 'boss')],
    ['a query that is too long', onDb('grep', 'x'.repeat(10_001))],
    ['an unknown rendering', onDb('context', '--conversation', '1', '--render', 'latin')],
    ['a budget of 0', onDb('context', '--conversation', '1', '--budget', '0')],
    ['several conversations and none to compact', onDb('compact')],
    ['a conversation that is no number', onDb('tree', '--conversation', 'first')],
    ['an unknown setting', onDb('compact', '--conversation', '1', '--set', 'speed=9')],
    ['a setting out of range', onDb('compact', '--conversation', '1', '--set', 'leafChunkTokens=0')],
    ['an unknown summarizer', onDb('compact', '--conversation', '1', '--summarizer', 'oracle')],
    ['a goal of a mode that has none', onDb('compact', '--conversation', '1', '--target', '5')],
    ['a setting with two values', onDb('compact', '--conversation', '1', '--set', 'leafChunkTokens=1=2')],
    ['an empty path', ['stats', '--db', '']],
    ['an empty path among others', onDb('import', 'x.jsonl', '')],
    ['an empty path to write to', onDb('repair', '-o', '')],
    ['a day that is none', onDb('context', '--at', '2026-02-30')],
    ['an unknown format', onDb('import', 'x.jsonl', '--format', 'latin')],
    ['a cap of 0', onDb('expand', 'sum_1', '--token-cap', '0')],
    ['a port that is none', ['serve', '--port', '70000']],
  ])('is refused with exit code 2: %s', async (_what, args) => {
    // What is refused here is refused before anything happens.
    expect(await refusal(args)).toMatchObject({ exit: 2, retryable: false })
  })

  it('is refused with one line of text without --json', async () => {
    expect(await refusalAsText([], lcm)).toMatch(/^2 lcm: invalid_argument: No command was given\. "lcm --help" lists/)
    expect(await refusalAsText(['frobnicate'])).toMatch(/^2 .*unknown command 'frobnicate'/)
    expect(await refusalAsText(['--db', memory.path], lcm)).toMatch(/^2 lcm: invalid_argument: No command was given\./)
    expect(await refusalAsText(['stats', '--db', at('gone.db')])).toMatch(/^5 lcm: file_missing/)
    expect(await refusalAsText(onDb('describe', 'msg_999'))).toMatch(/^1 lcm: not_found/)
  })

  it('names the conversations to choose from', async () => {
    const refused = await refusal(onDb('compact'))
    expect(refused).toMatchObject({ code: 'conversation_required' })
    expect(refused.message).toMatch(/--conversation \(1, 2\)/)
  })

  it('names the environment variable that is out of range', async () => {
    const refused = await refusalOf(onDb('stats'), { env: { LCM_TOKEN_BUDGET: 'plenty' } })
    expect(refused).toMatchObject({ exit: 2, code: 'invalid_argument' })
    expect(refused.message).toMatch(/LCM_TOKEN_BUDGET/)
  })
})

describe('the exit code', () => {
  it('is 0 for a command that succeeded', async () => {
    expect((await lcm(['stats', '--db', memory.path])).code).toBe(0)
    expect((await lcmHere(['stats', '--help'])).code).toBe(0)
    expect(await lcmHere(['--db', memory.path, 'stats'])).toEqual(await lcmHere(['stats', '--db', memory.path]))
    expect(await lcmHere([`--db=${memory.path}`, 'stats'])).toEqual(await lcmHere(['stats', '--db', memory.path]))
    expect(await lcmHere(['--db', memory.path, '--json', 'messages', '--conversation', '2'])).toEqual(
      await lcmHere(['messages', '--conversation', '2', '--db', memory.path, '--json']),
    )
    expect(await lcmHere(['grep', 'lease', '--db', memory.path, '--help'])).toMatchObject({ code: 0, stderr: '' })
  })

  it('is 1 when what was asked for does not exist', async () => {
    for (const args of [
      ['describe', 'sum_0000000000000000'],
      ['describe', 'msg_999'],
      ['lineage', 'nobody'],
      ['expand', 'sum_0000000000000000'],
      ['tree', '--conversation', '77'],
      ['trace', 'msg_999'],
      ['trace', 'sum_0123456789abcdef'],
      ['loss', '--run', 'run_nowhere', '--conversation', '1'],
      ['probe', '--at', 'run_nowhere', '--conversation', '1'],
      ['expand-query', 'why', '--conversation', '77'],
      ['integrity', '--conversation', '77'],
    ])
      expect(await refusal([...args, '--db', memory.path]), args.join(' ')).toMatchObject({
        exit: 1,
        code: 'not_found',
      })
  })

  it('is 1 when no file of an import is a transcript', async () => {
    const path = at('poem.txt')
    writeFileSync(path, 'roses are red\n')
    const refused = await refusalOf(['import', path, '--db', at('from-poem.db')])
    expect(refused).toMatchObject({ exit: 1, code: 'transcript_unreadable' })
    expect(refused.message).toContain(path)
  })

  it('is 1 when no file of an import holds a message, and no memory is created', async () => {
    const before = readdirSync(at('.'))
    const path = at('silent.jsonl')
    writeFileSync(path, '{"type":"summary","summary":"Shop","leafUuid":"u"}\n')
    expect((await lcmHere(['import', path, '--db', at('from-silent.db')])).code).toBe(0)
    expect((await lcmHere(['import', path, '--format', 'pi', '--db', at('from-silent.db')])).code).toBe(1)
    expect(readdirSync(at('.'))).toEqual([...before, 'silent.jsonl'].sort())
    writeFileSync(at('made.db'), '')
    expect((await lcmHere(['import', path, '--db', at('made.db')])).code).toBe(0)
    expect(statSync(at('made.db')).size).toBe(0)
  })

  it('is 5 when a transcript does not exist, and no memory is created', async () => {
    const refused = await refusalOf(['import', at('gone.jsonl'), '--db', at('from-gone.db')])
    expect(refused).toMatchObject({ exit: 5, code: 'file_missing' })
    expect((await lcmHere(['stats', '--db', at('from-gone.db')])).code).toBe(5)
  })

  it('is 3 when integrity found something', async () => {
    const damaged = buildMemory({ conversations: [{ messages: ['one', 'two', 'three'] }] })
    damaged.damage('DELETE FROM context_items WHERE message_id = 2')
    damaged.db.close()
    for (const [run, json] of [
      [lcm, []],
      [lcmHere, ['--json']],
    ] as const) {
      const ran = await run(['integrity', '--db', damaged.path, ...json])
      expect(ran).toMatchObject({ code: 3, stderr: '' })
      expect(ran.stdout).toContain('coverage_gap')
    }
  })

  it('is 4 when somebody else is compacting the conversation', async () => {
    const busy = buildMemory({
      conversations: [{ messages: Array.from({ length: 40 }, (_, n) => `message ${n} `.repeat(20)) }],
    })
    busy.db.run(`INSERT INTO conversation_locks VALUES (1, 'another agent, pid 1', :now, :until)`, {
      now: Date.now(),
      until: Date.now() + 60_000,
    })
    busy.db.close()
    const refused = await refusalOf(['compact', '--db', busy.path])
    expect(refused).toMatchObject({ exit: 4, code: 'locked', retryable: true })
    expect(refused.message).toContain('another agent, pid 1')
  })

  it('is 4 when another program holds the file exclusively', async () => {
    using busy = buildMemory({ conversations: [{ messages: ['one'] }] })
    busy.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    busy.db.exec('BEGIN EXCLUSIVE')
    const transcript = at('busy.jsonl')
    writeFileSync(
      transcript,
      '{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"hi"}}\n',
    )
    const ran = await lcmHere(['import', transcript, '--db', busy.path])
    expect(ran).toMatchObject({ code: 4, stderr: expect.stringMatching(/^lcm: locked: .*try again/) })
    busy.db.exec('ROLLBACK')
  })

  it('is 1 for a write command on a file of another system, and the error names lcm copy', async () => {
    const path = copyOf('lossless-claw/small.db')
    writeFileSync(at('s.jsonl'), '{"type":"user","uuid":"u","message":{"role":"user","content":"hi"}}\n')
    for (const args of [
      ['compact', '--db', path],
      ['import', at('s.jsonl'), '--db', path],
    ]) {
      const refused = await refusal(args)
      expect(refused).toMatchObject({ exit: 1, code: 'read_only_dialect' })
      expect(refused.message).toContain('lcm copy')
    }
    expect((await lcmHere(['compact', '--db', path, '--plan', '--json'])).code).toBe(0)
  })

  it('comes with a stack on standard error when LCM_DEBUG is 1', async () => {
    const ran = await lcm(['stats', '--db', at('nowhere.db')], { env: { LCM_DEBUG: '1' } })
    expect(ran.stderr.split('\n')[0]).toMatch(/^lcm: file_missing: /)
    expect(ran.stderr).toContain('    at ')
  })

  it('is 5 when the folder for a new memory does not exist', async () => {
    mkdirSync(at('there'), { recursive: true })
    writeFileSync(at('t.jsonl'), '{"type":"user","uuid":"u","message":{"role":"user","content":"hi"}}\n')
    expect((await lcmHere(['import', at('t.jsonl'), '--db', at('there/new.db')])).code).toBe(0)
    expect(await refusal(['import', at('t.jsonl'), '--db', at('nowhere/new.db')])).toMatchObject({
      exit: 5,
      code: 'file_missing',
    })
  })
})
