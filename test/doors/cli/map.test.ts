import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { copyOf } from '#test/sqlite/fixtures.ts'
import { Failure, MapRun, MapRuns } from './documents.ts'
import { ended, lcm, lcmHere, startLcm } from './lcm.ts'

const REFUSAL = 'lcm: invalid_argument: Delegation without retention violates scope-reduction invariant.\n'
/** Answers with the item that it reads. */
const ECHO = ['--', process.execPath, '-e', 'process.stdin.on("data", (d) => console.log(JSON.parse(d).item.n * 2))']

let folder: string
let items: string
const at = (name: string): string => join(folder, name)
beforeEach(() => {
  folder = temporaryFolder()
  items = at('items.jsonl')
  writeFileSync(items, '{"n":1}\n{"n":2}\n{"n":3}\n')
  writeFileSync(at('prompt.md'), 'Double it: {{item}}')
  writeFileSync(at('schema.json'), '{"type":"integer"}')
})

const agentic = (...more: string[]): string[] => [
  ...['map', 'agentic', '--input', items, '--retain', 'the total', '--record', folder],
  ...more,
]
const llm = (...more: string[]): string[] => [
  ...['map', 'llm', '--input', items, '--prompt', at('prompt.md'), '--schema', at('schema.json'), '--record', folder],
  ...more,
]

/** The same words with another value of an option. */
const instead = (words: readonly string[], option: string, value: string): string[] =>
  words.with(words.indexOf(option) + 1, value)

describe('map agentic without --retain', () => {
  it.each([
    ['with nothing else', []],
    ['with an input that is missing', ['--input', 'nowhere.json', '--', 'nothing']],
    ['with an empty text', ['--retain', '', '--input', '']],
    ['with white space', ['--retain', ' \n\t', '--', 'nothing']],
    ['with a memory that is none', ['--db', '/nowhere/lcm.db', '--schema', 'nowhere.json']],
  ])(
    'is refused with the sentence of the invariant on standard error before anything is looked at: %s',
    async (_how, more) => {
      expect(await lcmHere(['map', 'agentic', ...more])).toMatchObject({ code: 2, stdout: '', stderr: REFUSAL })
    },
  )

  it('is refused by the program itself with exit code 2, and with --json also on standard output', async () => {
    const ran = await lcm(['map', 'agentic', '--json', '--input', items, '--', 'nothing'])
    expect([ran.code, ran.stderr]).toEqual([2, REFUSAL])
    expect(Failure.parse(JSON.parse(ran.stdout)).error.code).toBe('invalid_argument')
  })
})

describe('a finished map', () => {
  it('prints one document with the results in the order of the input and the event that was recorded', async () => {
    const ran = await lcm(agentic('--json', ...ECHO))
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    const document = MapRun.parse(JSON.parse(ran.stdout))
    expect(document.results.map(({ index, output }) => [index, output])).toEqual([
      [0, 2],
      [1, 4],
      [2, 6],
    ])
    const [line = ''] = readFileSync(at('map.events.jsonl'), 'utf8').split('\n')
    expect(JSON.parse(line)).toEqual(document.event)
    expect(document.event).toMatchObject({ op: 'map.agentic', retain: 'the total', actor: 'lcm', status: 'completed' })
  })

  it('prints text for people, and the next step when items failed', async () => {
    const ran = await lcmHere(agentic('--retries', '0', '--', 'false'))
    expect(ran.code).toBe(1)
    expect(ran.stdout).toMatch(/^0 {2}failed: The command ended with code 1\.\n/)
    expect(ran.stdout).toMatch(/3 items: 0 completed, 3 failed, 0 retries\.\nStart the same command again/)
  })

  it('writes the results to a file when they are complete, and replaces one only with --force', async () => {
    expect((await lcmHere(agentic('-o', at('out.jsonl'), ...ECHO))).code).toBe(0)
    const lines = readFileSync(at('out.jsonl'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { index: 0, output: 2 },
      { index: 1, output: 4 },
      { index: 2, output: 6 },
    ])
    const refused = await lcmHere(agentic('-o', at('out.jsonl'), '--again', '--', 'touch', at('called')))
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/exists already: .*--force/)])
    expect(existsSync(at('called'))).toBe(false)
    expect((await lcmHere(agentic('-o', at('out.jsonl'), '--force', ...ECHO))).code).toBe(0)
    expect((await lcmHere(agentic('-o', items, '--force', ...ECHO))).stderr).toMatch(/belongs to what is read/)
  })

  it('writes the same results to standard output with -o -, and the rest where notes go', async () => {
    const ran = await lcmHere(agentic('-o', '-', ...ECHO))
    expect(
      ran.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { index: 0, output: 2 },
      { index: 1, output: 4 },
      { index: 2, output: 6 },
    ])
    expect(ran.stderr).toContain('Results: on standard output')
    expect(existsSync('-')).toBe(false)
  })

  it('gives a command the prompt and the schema on standard input when a command takes the place of a model', async () => {
    const read = 'let t = ""; process.stdin.on("data", (d) => { t += d }).on("end", () => { '
    const script = `${read} require("fs").writeFileSync(${JSON.stringify(at('asked'))}, t); console.log(7) })`
    expect((await lcmHere(llm('--concurrency', '1', '--', process.execPath, '-e', script))).code).toBe(0)
    const asked = readFileSync(at('asked'), 'utf8')
    expect(asked).toMatch(/\n\nDouble it: \{"n":3\}\n$/)
    expect(asked).toContain('{"type":"integer"}')
  })
})

describe('an order that cannot be carried out', () => {
  it.each<[string, () => string[], number, RegExp]>([
    [
      'a missing input',
      () => [...instead(agentic(), '--input', at('gone.json')), ...ECHO],
      5,
      /^lcm: file_missing: .*gone\.json: check/,
    ],
    [
      'no input',
      () => ['map', 'agentic', '--retain', 'x', '--record', folder, ...ECHO],
      2,
      /Give the items with --input FILE/,
    ],
    ['an empty path', () => [...instead(agentic(), '--input', ''), ...ECHO], 2, /given an empty path/],
    ['an input without items', () => [...instead(agentic(), '--input', at('empty.json')), ...ECHO], 2, /holds no item/],
    [
      'an input that is no JSON',
      () => [...instead(agentic(), '--input', at('prompt.md')), ...ECHO],
      2,
      /line 1: it is not valid JSON/,
    ],
    ['no command', () => agentic(), 2, /Say who does the work/],
    [
      'a command that does not exist',
      () => agentic('--', 'no-such-program'),
      2,
      /"no-such-program" is not found: name a program/,
    ],
    ['a command that may not be run', () => agentic('--', at('prompt.md')), 2, /may not be run/],
    ['a missing prompt', () => [...instead(llm(), '--prompt', at('gone.md')), ...ECHO], 5, /file_missing/],
    [
      'a prompt without its variable',
      () => [...instead(llm(), '--prompt', at('schema.json')), ...ECHO],
      2,
      /lacks \{\{item\}\}/,
    ],
    ['a schema that is none', () => [...instead(llm(), '--schema', at('prompt.md')), ...ECHO], 2, /is no JSON Schema/],
    [
      'no schema',
      () => ['map', 'llm', '--input', items, '--prompt', at('prompt.md'), ...ECHO],
      2,
      /with --schema FILE/,
    ],
    ['no model', () => llm(), 2, /No model is configured/],
    ['a model and a command', () => llm('--summarizer', 'x', ...ECHO), 2, /leave one of them out/],
    ['retention without delegation', () => llm('--retain', 'x', ...ECHO), 2, /--retain does not belong to "map llm"/],
    ['an unknown operator', () => ['map', 'reduce'], 2, /Expected one of: llm, agentic, list/],
    ['a concurrency of 0', () => agentic('--concurrency', '0', ...ECHO), 2, /from 1 to 64/],
  ])('is refused with its exit code and the next step: %s', async (_what, args, code, expected) => {
    writeFileSync(at('empty.json'), '[ ]')
    chmodSync(at('prompt.md'), 0o644)
    const ran = await lcmHere(args())
    expect([ran.code, ran.stdout]).toEqual([code, ''])
    expect(ran.stderr).toMatch(expected)
    expect(ran.stderr.trimEnd().split('\n').length).toBe(1)
    expect(existsSync(at('map.events.jsonl'))).toBe(false)
  })

  it('lists the recorded runs of a folder, the newest first, and says where there are none', async () => {
    const none = await lcmHere(['map', 'list', '--record', folder])
    expect([none.code, none.stdout]).toEqual([0, `No run is recorded in ${at('map.events.jsonl')}.\n`])
    await lcmHere(agentic(...ECHO))
    await lcmHere(agentic('--retries', '0', '--', 'false'))
    const listed = await lcmHere(['map', 'list', '--record', folder, '--json'])
    const document = MapRuns.parse(JSON.parse(listed.stdout))
    expect(document.runs.map(({ status, completed, failed }) => [status, completed, failed])).toEqual(
      expect.arrayContaining([
        ['completed', 3, 0],
        ['failed', 0, 3],
      ]),
    )
    const { stdout } = await lcmHere(['map', 'list', '--record', folder])
    expect(stdout).toMatch(/^run +status +operator/)
    for (const { runId } of document.runs) expect(stdout).toContain(runId)
  })

  it('lists what decapod has recorded beside its memory', async () => {
    const db = copyOf('decapod/small/lcm.db')
    writeFileSync(
      join(db, '../map.events.jsonl'),
      '{"actor":"agent","event_id":"1","item_count":2,"op":"map.llm","status":"completed","ts":"1772449003Z"}\n',
    )
    const { code, stdout } = await lcmHere(['map', 'list', '--db', db])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/completed +llm +2 .*2026-03-02 10:56:43/)])
  })

  it('records nothing in the folder of another system', async () => {
    const db = copyOf('decapod/small/lcm.db')
    const before = readdirSync(join(db, '..'))
    const args = agentic(...ECHO).filter((word) => word !== '--record' && word !== folder)
    const ran = await lcmHere([...args.slice(0, 2), '--db', db, ...args.slice(2)])
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringMatching(/^lcm: read_only_dialect: .*--record/)])
    expect(readdirSync(join(db, '..'))).toEqual(before)
  })

  it('records beside a native memory without touching it', async () => {
    mkdirSync(at('beside'))
    using memory = buildMemory({ conversations: [{ messages: ['one'] }] })
    const args = ['map', 'agentic', '--db', memory.path, '--input', items, '--retain', 'x', ...ECHO]
    expect((await lcmHere(args)).code).toBe(0)
    expect(readdirSync(join(memory.path, '..'))).toEqual(expect.arrayContaining(['map-runs', 'map.events.jsonl']))
  })
})

describe('a map that is interrupted', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends with exit code 130 on %s, ends its commands, and goes on when it is started again',
    async (signal) => {
      const script = at('slow.sh')
      // The second command would take for ever, and so would what it starts.
      writeFileSync(
        script,
        `read line; case "$line" in *'"n":1'*) echo 1;; *) echo $$ >> ${at('pids')}; sleep 1000;; esac\n`,
      )
      const args = agentic('--concurrency', '2', '--json', '--', 'sh', script)
      const child = startLcm(args)
      const ran = ended(child)
      await expect
        .poll(() => existsSync(at('pids')) && readFileSync(at('pids'), 'utf8').trim().split('\n').length)
        .toBe(2)
      child.kill(signal)
      const { code, stdout, stderr } = await ran
      expect([code, stderr]).toEqual([
        130,
        expect.stringMatching(/^lcm: cancelled: Cancelled after 1 of 3 items\..*go on\.\n$/),
      ])
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'cancelled', retryable: false } })
      for (const pid of readFileSync(at('pids'), 'utf8').trim().split('\n')) {
        expect(() => process.kill(Number(pid), 0)).toThrow(/ESRCH/)
      }
      writeFileSync(script, 'cat > /dev/null; echo 2\n')
      const again = await lcm(args)
      expect([again.code, MapRun.parse(JSON.parse(again.stdout))]).toMatchObject([0, { completed: 3, resumed: 1 }])
      const statuses = readFileSync(at('map.events.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).status)
      expect(statuses).toEqual(['cancelled', 'completed'])
    },
  )
})
