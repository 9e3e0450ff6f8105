import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { cliPath, packageFolder } from '#test/builders/built-program.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { scanFile, wrong } from '#test/doctor/integrity/scan-file.ts'
import { count, OUR_RUNS } from '../checked.ts'

type Message = { role: string; content: unknown; timestamp?: number; usage?: { totalTokens: number } }
type Tool = { name: string; execute: (id: string, input: object) => Promise<{ content: { text: string }[] }> }
type Compacted = { tokensBefore: number; tokensAfter: number }
type Engine = {
  info: { id: string }
  bootstrap: (given: object) => Promise<{ bootstrapped: boolean }>
  assemble: (given: object) => Promise<{ messages: Message[]; estimatedTokens: number; systemPromptAddition?: string }>
  compact: (given: object) => Promise<{ ok: boolean; compacted: boolean; result?: Compacted }>
  commitTurn: (given: object) => Promise<{ status: string }>
}

const START = Date.UTC(2026, 10, 29, 9)
const SESSION = 'harbour'

/** A message as OpenClaw 2026.9.6 stores it and gives it to an engine. */
function message(n: number): Message {
  const text = `Part ${n} says WORD${n}. ${'The keeper writes into the log. '.repeat(8)}`
  const timestamp = START + n * 1000
  if (n % 2 === 0) return { role: 'user', content: text, timestamp }
  const totalTokens = n > 20 && n < 40 ? 1_500 : 300
  return { role: 'assistant', content: [{ type: 'text', text }], timestamp, usage: { totalTokens } }
}

/** OpenClaw as a plugin sees it, with the database of an agent. */
async function openClaw() {
  const folder = temporaryFolder()
  vi.stubEnv('LCM_DATA_DIR', join(folder, 'data'))
  vi.stubEnv('LCM_LEAF_CHUNK_TOKENS', '1000')
  const agentDir = join(folder, 'agent')
  mkdirSync(agentDir)
  const db = new DatabaseSync(join(agentDir, 'openclaw-agent.sqlite'))
  db.exec(`CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
      event_zstd BLOB, PRIMARY KEY (session_id, seq));
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT)`)
  const append = (event: object): void => {
    const seq = db.prepare('SELECT count(*) AS n FROM transcript_events').get()?.n ?? 0
    db.prepare('INSERT INTO transcript_events VALUES (?, ?, ?, NULL)').run(SESSION, seq, JSON.stringify(event))
  }
  append({ type: 'session', version: 4, id: SESSION, timestamp: new Date(START).toISOString(), cwd: folder })
  const messages: Message[] = []
  const memory = join(folder, 'lcm.db')
  const said: string[] = []
  const tools = new Map<string, Tool>()
  const made: { id?: string; factory?: (context: object) => Engine; stop?: () => Promise<void> } = {}
  const api = {
    pluginConfig: { node: process.execPath, cli: cliPath, memory },
    logger: { warn: (text: string) => said.push(text) },
    registerTool: (tool: Tool) => tools.set(tool.name, tool),
    registerService: ({ stop }: { stop: () => Promise<void> }) => Object.assign(made, { stop }),
    registerContextEngine: (id: string, factory: (context: object) => Engine) => Object.assign(made, { id, factory }),
  }
  const address = pathToFileURL(join(packageFolder, 'resources/adapters/openclaw/plugin.js')).href
  const { default: register } = (await import(address)) as { default: (given: typeof api) => void }
  register(api)
  const engine = made.factory?.({ agentDir })
  if (engine === undefined) throw new Error('No engine was registered.')
  return {
    ...{ said, tools, memory, engine, id: made.id },
    stop: async () => made.stop?.(),
    say: (from: number, to: number): void => {
      for (let n = from; n < to; n += 1) {
        const parentId = n === 0 ? null : `e${n - 1}`
        messages.push(message(n))
        append({
          type: 'message',
          id: `e${n}`,
          parentId,
          timestamp: new Date(START + n * 1000).toISOString(),
          message: message(n),
        })
      }
    },
    /** What the model is sent before the last `current` messages, which are of the turn that is under way. */
    send: (current = 0) =>
      engine.assemble({
        ...{ sessionId: SESSION, tokenBudget: 1_500 },
        messages: messages.slice(0, messages.length - current),
      }),
    count: (sql: string) => count(memory, sql),
  }
}

const SUMMARY = /^The conversation before this point is stored whole/
const textOf = ({ messages: [first] }: { messages: Message[] }): string => String(first?.content)

afterEach(() => {
  vi.unstubAllEnvs()
})

it('stores each message once, sends summaries in the place of what left, and the same ones in the turn that follows', async () => {
  const openclaw = await openClaw()
  expect(openclaw.engine.info.id).toBe(openclaw.id)
  openclaw.say(0, 40)
  expect(await openclaw.engine.bootstrap({ sessionId: SESSION })).toEqual({ bootstrapped: true })
  const sent = await openclaw.send()
  expect(textOf(sent)).toMatch(SUMMARY)
  expect(sent.messages.length).toBeLessThan(20)
  expect(sent.messages[1]?.role).toBe('user')
  expect(sent.estimatedTokens).toBeGreaterThan(100)
  expect(sent.systemPromptAddition).toContain('lcm_grep')
  openclaw.say(40, 42)
  for (const status of [1, 2])
    expect(await openclaw.engine.commitTurn({ sessionId: SESSION, status })).toEqual({ status: 'committed' })
  // The words of the turn that is under way may stand in the database, and are not among the messages.
  openclaw.say(42, 43)
  const next = await openclaw.send(1)
  expect(next.messages.slice(0, sent.messages.length)).toEqual(sent.messages)
  expect(next.messages).toHaveLength(sent.messages.length + 2)
  const found = await openclaw.tools.get('lcm_grep')?.execute('1', { query: 'WORD3' })
  expect(found?.content[0]?.text).toContain('WORD3')
  await openclaw.engine.bootstrap({ sessionId: SESSION })
  await openclaw.stop()
  expect(openclaw.said).toEqual([])
  expect(await openclaw.count('SELECT count(*) FROM messages')).toBe(43)
  expect(await openclaw.count(OUR_RUNS)).toBe(1)
  expect(wrong(await scanFile(openclaw.memory))).toEqual([])
})

it('compacts when OpenClaw asks, says when nothing is left, and sends messages that it does not know as they are', async () => {
  const openclaw = await openClaw()
  openclaw.say(0, 20)
  await openclaw.engine.bootstrap({ sessionId: SESSION })
  const compacted = await openclaw.engine.compact({ sessionId: SESSION, tokenBudget: 1_600 })
  expect(compacted).toMatchObject({ ok: true, compacted: true })
  const chars = Array.from({ length: 20 }, (_, n) => JSON.stringify(message(n).content).length)
  const said = chars.reduce((sum, count) => sum + count / 4, 0)
  const sent = await openclaw.send()
  expect(textOf(sent)).toMatch(SUMMARY)
  for (const [told, real] of [
    [compacted.result?.tokensBefore ?? 0, said],
    [compacted.result?.tokensAfter ?? 0, sent.estimatedTokens],
  ] as const)
    expect(Math.abs(told / real - 1)).toBeLessThan(0.2)
  expect(await openclaw.engine.compact({ sessionId: SESSION, tokenBudget: 1_500 })).toMatchObject({ compacted: false })
  const strange = [{ role: 'user', content: 'of another session' }]
  const unchanged = await openclaw.engine.assemble({ sessionId: SESSION, messages: strange, tokenBudget: 1_500 })
  expect(unchanged.messages).toEqual(strange)
  await openclaw.stop()
  expect(openclaw.said).toEqual([expect.stringContaining('OpenClaw goes on without it.')])
  expect(await openclaw.count(OUR_RUNS)).toBe(1)
})

it('describes its tools as the memory does', async () => {
  const openclaw = await openClaw()
  const lcm = await import(pathToFileURL(join(packageFolder, 'out/main/library.js')).href)
  const opened = await lcm.openLcm(openclaw.memory, { create: true })
  const tools: { name: string; title: string; description: string; inputSchema: object }[] = await opened.call(
    'tools.list',
    undefined,
  )
  await opened.close()
  const names = [...openclaw.tools.keys()]
  expect(names).toEqual(['lcm_grep', 'lcm_describe', 'lcm_expand'])
  const described = tools.filter(({ name }) => names.includes(name))
  expect(described.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  for (const { name, title, description, inputSchema } of described)
    expect(openclaw.tools.get(name)).toMatchObject({ label: title, description, parameters: inputSchema })
})
