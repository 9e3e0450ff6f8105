// Takes more than 5 s: it starts every command of the packed package on the sample, on a file of another system, or
// once where it needs no memory. It also has a text for every explorer stored and read, and calls the library, the
// engine, each tool for agents and the page in the browser.
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base'
import * as o200k from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, describe, expect, it } from 'vitest'
import { CODE_TYPES, type FileType, TYPE_FACTS } from '#core/files/explorers/file-type.ts'
import { enter, openSocket } from '#test/builders/browser-session.ts'
import { installFolder, packageFolder } from '#test/builders/built-program.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import type { Client } from '#test/contract/doors.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { ended, environment, type Ran } from '../cli/lcm.ts'
import { connect } from '../mcp/mcp-client.ts'

const root = join(import.meta.dirname, '../../..')
const program = join(packageFolder, 'bin/lcm.mjs')
/** What was driven, on what, and how it ended. */
const driven: string[] = []

afterAll(() => {
  const list = `${driven.toSorted().join('\n')}\n`
  mkdirSync(join(root, 'test-results'), { recursive: true })
  writeFileSync(join(root, 'test-results/driven-commands.txt'), list)
})

function lcm(args: readonly string[], { cwd = installFolder, input = '', env = {} } = {}): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...args], { cwd, env: environment(env), stdio: 'pipe' })
  // A command that reads no input may have ended before it is written.
  child.stdin.on('error', () => undefined).end(input)
  return ended(child)
}

/** What a crash prints. */
const CRASH = /^\s+at .+:\d+|SyntaxError|ReferenceError|TypeError|Cannot find|internal/m

/** How a command ended: its exit code, and the code of its refusal. All that it printed when it crashed. */
function outcome({ code, signal, stdout, stderr }: Ran): string {
  if (signal !== null || CRASH.test(stderr)) return `crashed: ${code} ${signal} ${stderr}`
  const [, refusal] = /^lcm: (\w+): /m.exec(stderr) ?? []
  if (code === 0 && stdout === '') return 'printed nothing'
  return [code, refusal].filter((part) => part !== undefined).join(' ')
}

/** A memory in a folder of its own, and what a command needs of it. */
type Memory = Readonly<Record<'db' | 'message' | 'summary' | 'file', string>>
type Drives = Readonly<Record<string, (memory: Memory) => readonly string[]>>

const IDS =
  'SELECT (SELECT min(message_id) FROM messages), (SELECT min(summary_id) FROM summaries), (SELECT min(file_id) FROM large_files)'

async function memoryOf(original: string): Promise<Memory> {
  const db = join(temporaryFolder(), 'memory.db')
  copyFileSync(original, db)
  const { stdout } = await lcm(['sql', IDS, '--db', db, '--json'])
  const [[message, summary, file] = []] = (JSON.parse(stdout) as { rows: unknown[][] }).rows
  return { db, message: `msg_${message}`, summary: String(summary), file: String(file) }
}

/** Nobody listens there: a command that is refused for that has loaded the driver. */
const ADDRESS = 'postgres://nobody@127.0.0.1:1/lcm'
const TRANSCRIPT = join(root, 'resources/sample.jsonl')

/** A transcript in which a record names a parent that was never written. */
const BROKEN = [
  { uuid: 'a', parentUuid: null, type: 'user', message: { role: 'user', content: 'The harbour is closed.' } },
  { uuid: 'b', parentUuid: 'never', type: 'user', message: { role: 'user', content: 'The harbour is open.' } },
].map((record, n) => ({ ...record, sessionId: 's', timestamp: `2026-03-0${2 + n}T09:00:00.000Z` }))

/** How each command that needs no memory is started. */
const ALONE: Readonly<Record<string, readonly string[]>> = {
  discover: [],
  import: [TRANSCRIPT, '--db', 'imported.db'],
  pull: [ADDRESS, '--tenant', 'acme', '--conversation', '1', '--db', 'pulled.db'],
  fleet: [ADDRESS],
  find: ['word', '--address', ADDRESS, '--tenant', 'acme'],
  worker: [ADDRESS, '--once'],
  pg: ['status', ADDRESS],
  objects: [ADDRESS],
  map: ['agentic', '--input', 'items.jsonl', '--retain', 'the choice', '-o', 'out.jsonl', '--', 'cat'],
  install: ['codex', '--db', 'kept.db'],
  uninstall: ['codex'],
  doctor: [],
  hook: ['codex', '--queued', '--db', 'kept.db'],
  mend: ['--from', 'broken.jsonl', '--to', 'mended.jsonl'],
  schema: [],
  completion: ['bash'],
  help: ['stats'],
}
/** How each command is started on a memory. */
const ON_A_MEMORY: Drives = {
  stats: ({ db }) => ['--db', db],
  conversations: ({ db }) => ['--db', db],
  tree: ({ db }) => ['--db', db, '--conversation', '1'],
  messages: ({ db }) => ['--db', db, '--conversation', '1', '--limit', '3'],
  describe: ({ db, message }) => [message, '--db', db],
  expand: ({ db, summary }) => [summary, '--db', db, '--messages'],
  lineage: ({ db, message }) => [message, '--db', db],
  context: ({ db }) => ['--db', db, '--conversation', '1'],
  grep: ({ db }) => ['(?<=the )\\w+', '--mode', 'regex', '--db', db],
  'expand-query': ({ db }) => ['What was decided?', '--db', db],
  provenance: ({ db, summary }) => [summary, '--db', db],
  trace: ({ db }) => ['the retry limit', '--db', db],
  probe: ({ db }) => ['--db', db, '--conversation', '1', '--limit', '3'],
  diff: ({ db, message }) => [db, '--conversation', '1', '--from', message, '--to', 'now'],
  loss: ({ db }) => ['--db', db, '--conversation', '1'],
  integrity: ({ db }) => ['--db', db],
  coverage: ({ db }) => ['--db', db, '--conversation', '1', '--transcript', TRANSCRIPT],
  repair: ({ db }) => ['--db', db, '--plan'],
  rewrite: ({ db, summary }) => [summary, '--db', db, '--plan'],
  dissolve: ({ db, summary }) => [summary, '--db', db, '--plan'],
  transplant: ({ db, summary }) => [summary, '--to', '2', '--db', db, '--plan'],
  backups: ({ db }) => ['--db', db],
  undo: ({ db }) => ['none.backup.db', '--db', db],
  storage: ({ db }) => ['--db', db],
  compact: ({ db }) => ['--db', db, '--conversation', '1', '--plan'],
  explore: ({ db }) => ['--db', db],
  embed: ({ db }) => ['--db', db],
  copy: ({ db }) => ['--from', db, '--to', `${db}.copy`],
  push: ({ db }) => [ADDRESS, '--db', db],
  salvage: ({ db }) => ['--from', db, '--to', `${db}.saved`],
  ledger: ({ db }) => ['export', '--db', db, '-o', `${db}.events.jsonl`],
  files: ({ db }) => ['--db', db],
  file: ({ db, file }) => [file, '--db', db],
  export: ({ db }) => ['--db', db, '--format', 'markdown'],
  sql: ({ db }) => ['SELECT count(*) FROM messages', '--db', db],
  watch: ({ db }) => [db, '--once'],
  metrics: ({ db }) => ['--db', db],
  call: ({ db }) => ['memory.stats', '--db', db],
  mcp: ({ db }) => ['--db', db],
  grant: ({ db }) => ['list', '--db', db],
  pin: ({ db, message }) => [message, '--db', db],
  unpin: ({ db, message }) => [message, '--db', db],
  statusline: ({ db }) => ['--db', db],
  engine: ({ db }) => ['--stdio', '--db', db],
}
/** These serve a window until they are told to end. */
const SERVING: Drives = {
  serve: ({ db }) => ['--db', db, '--json', '--no-open'],
  open: ({ db }) => [db, '--json', '--no-open'],
}
/** What the programs that are given in the input ask. */
const INPUT: Readonly<Record<string, object>> = {
  engine: { jsonrpc: '2.0', id: 1, method: 'memory.stats' },
  mcp: { jsonrpc: '2.0', id: 1, method: 'ping' },
}
type NotZero = Readonly<Record<string, string>>
/** What does not end with 0, and why: a model, a backup or a server is missing, or the transcript is another one. */
const NOT_ZERO: NotZero = {
  coverage: '3',
  hook: 'printed nothing',
  undo: '1 not_found',
  explore: '2 invalid_argument',
  embed: '2 invalid_argument',
  ...Object.fromEntries(
    ['pull', 'push', 'fleet', 'find', 'worker', 'pg', 'objects'].map((name) => [name, '4 server_unavailable']),
  ),
}
const MEMORIES: readonly { readonly of: string; readonly original: string; readonly others: NotZero }[] = [
  { of: 'the sample', original: join(root, 'resources/sample.db'), others: {} },
  {
    of: 'a file of another system',
    original: join(FIXTURES, 'lossless-claw/small.db'),
    // Its summary is a source of another one, it has one conversation, and we write no backups of it.
    others: { dissolve: '2 invalid_argument', transplant: '1 not_found', undo: '1 read_only_dialect' },
  },
]

const expected = (names: Drives | typeof ALONE, others: NotZero = {}): object =>
  Object.fromEntries(Object.keys(names).map((name) => [name, others[name] ?? NOT_ZERO[name] ?? '0']))

/** Runs the list two at a time. */
async function twoAtOnce<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const next = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item)
  }
  await Promise.all([next(), next()])
}

/** Enters the window as a page does, asks for the counts of the memory, and ends the program. */
async function served(args: readonly string[], db: string): Promise<{ messages: number; ran: Ran }> {
  const child = spawn(process.execPath, [program, ...args], { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
  const end = ended(child)
  try {
    const url = await new Promise<string>((found, failed) => {
      let said = ''
      child.stdout.on('data', (piece: string) => {
        said += piece
        const [address] = /http:\/\/[^"\s]+(?=")/.exec(said) ?? []
        if (address !== undefined) found(address)
      })
      end.then((ran) => failed(new Error(`no window: ${outcome(ran)} ${ran.stderr}`)), failed)
    })
    const session = await enter(url)
    expect(await (await fetch(`${session.origin}/`)).text()).toContain('<div id="root"')
    const socket = await openSocket(session, db)
    const client: Client = createORPCClient(new RPCLink({ websocket: socket as never }))
    const { messages } = await client.memory.stats({})
    socket.close()
    child.kill('SIGTERM')
    return { messages, ran: await end }
  } finally {
    child.kill('SIGKILL')
  }
}

// Only what hangs reaches this.
const PATIENCE = { timeout: 900_000 }

describe('the packed package', PATIENCE, () => {
  it('has no command that is not driven here', async () => {
    const { stdout } = await lcm(['--help'])
    const [, commands = ''] = stdout.split('\nCommands:\n')
    const offered = [...commands.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name)
    const here = [ALONE, ON_A_MEMORY, SERVING].flatMap((drives) => Object.keys(drives))
    expect(offered.toSorted()).toEqual(here.toSorted())
  })

  it('runs each command that needs no memory', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'items.jsonl'), '{"n":1}\n')
    writeFileSync(join(cwd, 'broken.jsonl'), BROKEN.map((record) => `${JSON.stringify(record)}\n`).join(''))
    const outcomes: Record<string, string> = {}
    await twoAtOnce(Object.entries(ALONE), async ([name, args]) => {
      outcomes[name] = outcome(await lcm([name, ...args], { cwd, env: { LCM_OBJECTS: cwd, CODEX_HOME: cwd } }))
      driven.push(`${name}: ${outcomes[name]}`)
    })
    expect(outcomes).toEqual(expected(ALONE))
  })

  it.each(MEMORIES)('runs each command on $of', async ({ of, original, others }) => {
    const memory = await memoryOf(original)
    const outcomes: Record<string, string> = {}
    await twoAtOnce(Object.entries(ON_A_MEMORY), async ([name, args]) => {
      const input = INPUT[name] === undefined ? '' : `${JSON.stringify(INPUT[name])}\n`
      outcomes[name] = outcome(await lcm([name, ...args(memory)], { input }))
      driven.push(`${name} on ${of}: ${outcomes[name]}`)
    })
    expect(outcomes).toEqual(expected(ON_A_MEMORY, others))
  })

  it.each(MEMORIES)('serves the window on $of', async ({ of, original }) => {
    const memory = await memoryOf(original)
    for (const [name, args] of Object.entries(SERVING)) {
      const { messages, ran } = await served([name, ...args(memory)], memory.db)
      expect(messages, name).toBeGreaterThan(0)
      expect(ran.stderr, name).not.toMatch(CRASH)
      driven.push(`${name} on ${of}: served`)
    }
  })

  it('counts tokens by the vocabularies of tokenizers as their package does', async () => {
    const text = 'Please count the tokens of this sentence, naïvely: 8443 retries, 48 hours.'
    writeFileSync(
      join(installFolder, 'tokens.mjs'),
      `import { openLcm } from 'lcm-inspector'
      const lcm = await openLcm('tokens.db', { create: true })
      await lcm.ingest({ sessionId: 's', messages: [{ id: '1', role: 'user', content: ${JSON.stringify(text)} }] })
      console.log((await lcm.call('transcript.message', { id: 'msg_1' })).tokens)
      await lcm.close()`,
    )
    for (const [name, countTokens] of [
      ['o200k_base', o200k.countTokens],
      ['cl100k_base', cl100k.countTokens],
    ] as const) {
      rmSync(join(installFolder, 'tokens.db'), { force: true })
      const env = { ...environment(), LCM_TOKEN_ESTIMATOR: name }
      const ran = await ended(spawn(process.execPath, ['tokens.mjs'], { cwd: installFolder, env }))
      expect([ran.code, ran.stderr]).toEqual([0, ''])
      expect(Number(ran.stdout)).toBe(countTokens(text))
    }
  })
})

const line = (n: number): string => `the harbour master counts boat ${n} and writes it down`
const many = (make: (n: number) => string): string => Array.from({ length: 4_000 }, (_, n) => make(n)).join('\n')

/** A text of more than 25,000 tokens of each type, with the name of its file. */
const LARGE: Readonly<Record<Exclude<FileType, 'binary' | 'empty'>, readonly [name: string, text: string]>> = {
  json: ['a.json', JSON.stringify(Array.from({ length: 4_000 }, (_, n) => ({ n, text: line(n) })))],
  jsonl: ['a.jsonl', many((n) => JSON.stringify({ n, text: line(n) }))],
  csv: ['a.csv', `n,text\n${many((n) => `${n},${line(n)}`)}`],
  tsv: ['a.tsv', `n\ttext\n${many((n) => `${n}\t${line(n)}`)}`],
  yaml: ['a.yaml', many((n) => `key_${n}: ${line(n)}`)],
  toml: ['a.toml', many((n) => `key_${n} = "${line(n)}"`)],
  xml: ['a.xml', `<all>${many((n) => `<boat n="${n}">${line(n)}</boat>`)}</all>`],
  html: ['a.html', `<!doctype html><html><body>${many((n) => `<p>${line(n)}</p>`)}</body></html>`],
  sql: ['a.sql', many((n) => `INSERT INTO boats (n, text) VALUES (${n}, '${line(n)}');`)],
  log: ['a.log', many((n) => `2026-03-01T09:00:00.000Z INFO [worker-${n % 8}] ${line(n)}`)],
  diff: ['a.diff', `--- a/x\n+++ b/x\n@@ -1,4000 +1,4000 @@\n${many((n) => `+${line(n)}`)}`],
  typescript: ['a.ts', many((n) => `export function boat${n}(name: string): string { return '${line(n)}' + name }`)],
  javascript: ['a.js', many((n) => `function boat${n}(name) { return '${line(n)}' + name }`)],
  python: ['a.py', many((n) => `def boat_${n}(name):\n    return "${line(n)}" + name`)],
  rust: ['a.rs', many((n) => `pub fn boat_${n}() -> &'static str { "${line(n)}" }`)],
  go: ['a.go', `package boats\n${many((n) => `func Boat${n}() string { return "${line(n)}" }`)}`],
  java: ['a.java', `class Boats {\n${many((n) => `String boat${n}() { return "${line(n)}"; }`)}\n}`],
  c: ['a.c', many((n) => `const char *boat_${n}(void) { return "${line(n)}"; }`)],
  cpp: ['a.cpp', many((n) => `std::string boat_${n}() { return "${line(n)}"; }`)],
  csharp: ['a.cs', `class Boats {\n${many((n) => `string Boat${n}() { return "${line(n)}"; }`)}\n}`],
  ruby: ['a.rb', many((n) => `def boat_${n}\n  "${line(n)}"\nend`)],
  php: ['a.php', `<?php\n${many((n) => `function boat_${n}() { return "${line(n)}"; }`)}`],
  shell: ['a.sh', `#!/bin/sh\n${many((n) => `boat_${n}() { echo "${line(n)}"; }`)}`],
  markdown: ['a.md', many((n) => `${n % 40 === 0 ? `# Part ${n}\n\n` : ''}${line(n)}.`)],
  text: ['a.txt', many(line)],
  code: ['a.kt', many((n) => `fun boat${n}(): String { return "${line(n)}" }`)],
  'pdf-text': ['a.pdf', many(line)],
  notebook: [
    'a.ipynb',
    JSON.stringify({
      cells: Array.from({ length: 4_000 }, (_, n) => ({ cell_type: 'markdown', metadata: {}, source: [line(n)] })),
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    }),
  ],
}

const asFile = (name: string, text: string): string => `Look at this:\n<file name="${name}">\n${text}\n</file>`

/** Sends all requests to one engine. @returns the results in the order of the requests, none an error */
async function askEngine(db: string, requests: readonly object[]): Promise<readonly unknown[]> {
  const input = requests.map((request, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...request })}\n`).join('')
  const engine = await lcm(['engine', '--stdio', '--db', db], { input })
  expect([engine.code, engine.stderr]).toEqual([0, ''])
  const answers = engine.stdout
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row) as { id: number; result?: unknown; error?: unknown })
    .toSorted((a, b) => a.id - b.id)
  expect(answers.filter(({ error }) => error !== undefined)).toEqual([])
  expect(answers.map(({ id }) => id)).toEqual([...requests.keys()])
  return answers.map(({ result }) => result)
}

type Stored = { readonly id: string; readonly fileName: string; readonly explorationSummary: string }

describe('a large text in the packed package', PATIENCE, () => {
  it('is stored, described and read by import and file, whatever its type', async () => {
    const folder = temporaryFolder()
    const rows = Object.values(LARGE).map(([name, text]) => ({ role: 'user', content: asFile(name, text) }))
    writeFileSync(join(folder, 'all.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const db = join(folder, 'all.db')
    const imported = await lcm(['import', 'all.jsonl', '--db', db, '--json'], { cwd: folder })
    expect([imported.code, imported.stderr]).toEqual([0, ''])
    const { stdout } = await lcm(['files', '--db', db, '--json'])
    const { files } = JSON.parse(stdout) as { files: Stored[] }
    const told = files.map(({ explorationSummary }) => explorationSummary.split(',')[0])
    const types = Object.entries(LARGE).map(([type, [name]]) => `${TYPE_FACTS[type as FileType].title} ${name}`)
    expect(told.toSorted()).toEqual(types.toSorted())
    for (const { explorationSummary } of files) expect(explorationSummary).not.toContain('described as plain text')
    // All code goes through one explorer.
    const others = CODE_TYPES.filter((type) => type !== 'typescript').map((type) => LARGE[type][0])
    const read = files.filter(({ fileName }) => !others.includes(fileName))
    const view = { kind: 'lines', first: 1, last: 8 }
    const contents = await askEngine(
      db,
      read.map(({ id }) => ({ method: 'files.read', params: { id, view } })),
    )
    for (const [at, { fileName }] of read.entries()) expect(JSON.stringify(contents[at]), fileName).toContain('harbour')
    const ran = await lcm(['file', read[0]?.id ?? '', '--lines', '1-8', '--db', db])
    expect([ran.code, ran.stderr, ran.stdout]).toEqual([0, '', expect.stringContaining('harbour')])
  })

  it('is stored and read by the library, the engine and the tools for agents', async () => {
    const [name, text] = LARGE.python
    writeFileSync(join(installFolder, 'large.txt'), asFile(name, text))
    writeFileSync(
      join(installFolder, 'large.mjs'),
      `import { readFileSync } from 'node:fs'
      import { openLcm } from 'lcm-inspector'
      const lcm = await openLcm('large.db', { create: true })
      const messages = [readFileSync('large.txt', 'utf8'), 'The pilot was on leave.']
        .map((content, n) => ({ id: String(n), role: 'user', content }))
      const { conversationId } = await lcm.ingest({ sessionId: 's', messages })
      const [file] = await lcm.call('conversations.files', { conversationId })
      console.log(JSON.stringify({
        found: (await lcm.grep({ query: 'pilot' })).hits.map(({ id }) => id),
        file: file.id,
        described: await lcm.describe(file.id),
        read: await lcm.call('files.read', { id: file.id, view: { kind: 'page', page: 1 } }),
      }))
      await lcm.close()`,
    )
    const ran = await ended(spawn(process.execPath, ['large.mjs'], { cwd: installFolder, env: environment() }))
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    const told = JSON.parse(ran.stdout) as { file: string; found: string[]; described: object; read: object }
    expect(told.found).toEqual(['msg_2'])
    expect(JSON.stringify(told.described)).toContain('Python source a.py')
    expect(JSON.stringify(told.read)).toContain(line(0))

    const message = { id: '2', role: 'user', content: asFile('b.py', text) }
    const [ingested, , , status, hits, content] = await askEngine('large.db', [
      { method: 'ingest', params: { sessionId: 's', messages: [message] } },
      { method: 'assemble', params: { sessionId: 's' } },
      { method: 'recall', params: { sessionId: 's', query: 'harbour master' } },
      { method: 'status', params: { sessionId: 's' } },
      { method: 'retrieval.grep', params: { query: 'pilot' } },
      { method: 'files.read', params: { id: told.file, view: { kind: 'page', page: 1 } } },
    ])
    expect(ingested).toMatchObject({ added: 1 })
    expect(status).toMatchObject({ messages: 3 })
    expect(hits).toMatchObject({ total: 1 })
    expect(JSON.stringify(content)).toContain(line(0))

    const agent = await connect(['--db', join(installFolder, 'large.db')], { program })
    const inputs: Readonly<Record<string, object>> = {
      lcm_grep: { query: 'pilot' },
      lcm_describe: { id: told.file },
      lcm_expand: { summaryId: 'sum_0000000000000000' },
      lcm_expand_query: { prompt: 'Who was on leave?', query: 'pilot' },
      lcm_loss: {},
    }
    const { tools } = await agent.client.listTools()
    expect(tools.map((tool) => tool.name).toSorted()).toEqual(Object.keys(inputs).toSorted())
    const errors: string[] = []
    for (const [tool, input] of Object.entries(inputs)) {
      const answer = await agent.call(tool, input)
      expect(answer.text, tool).not.toMatch(CRASH)
      if (answer.isError) errors.push(`${tool}: ${answer.text}`)
    }
    await agent.close()
    // There is no summary in this memory.
    expect(errors).toEqual([expect.stringMatching(/^lcm_expand: .*sum_0000000000000000/)])
  })
})
