import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { packageFolder } from '#test/builders/built-program.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { scanFile, wrong } from '#test/doctor/integrity/scan-file.ts'

type Entry = Readonly<Record<string, unknown>> & { readonly type: string; readonly id: string }
type Handler = (event: unknown, ctx: unknown) => unknown
type Tool = {
  readonly name: string
  readonly execute: (id: string, input: object) => Promise<{ content: { text: string }[] }>
}

const atMs = Date.parse('2026-11-28T09:00:00.000Z')

/** Entries as Pi 1.6.0 writes them. */
function entry(n: number, parentId: string | null): Entry {
  const timestamp = new Date(atMs + n * 1000).toISOString()
  const text = `Part ${n} says WORD${n}. ${'The keeper writes into the log of the lighthouse. '.repeat(12)}`
  const answer = { api: 'openai-completions', provider: 'scripted', model: 'm', stopReason: 'stop' }
  const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 110 }
  const more = n % 2 === 0 ? {} : { ...answer, usage }
  const message = {
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text }],
    timestamp: atMs,
    ...more,
  }
  return { type: 'message', id: `e${n}`, parentId, timestamp, message }
}

/** Pi as an extension sees it, with a session in a file. */
async function piWith(settings: object) {
  const folder = temporaryFolder()
  const file = join(folder, '2026-11-28_s1.jsonl')
  const header = { type: 'session', version: 3, id: 's1', timestamp: new Date(atMs).toISOString(), cwd: folder }
  let entries: Entry[] = []
  const handlers = new Map<string, Handler>()
  const tools = new Map<string, Tool>()
  const said: string[] = []
  const write = (): void =>
    writeFileSync(file, `${[header, ...entries].map((one) => JSON.stringify(one)).join('\n')}\n`)
  const session = {
    ...{ getSessionId: () => 's1', getSessionFile: () => file, getHeader: () => header },
    ...{ getEntries: () => [...entries], getBranch: () => [...entries] },
  }
  const ui = { notify: (text: string) => said.push(text), setStatus: () => undefined }
  const ctx = { cwd: folder, hasUI: true, model: { contextWindow: 100_000 }, sessionManager: session, ui }
  const pi = {
    on: (name: string, handler: Handler) => handlers.set(name, handler),
    registerTool: (tool: Tool) => tools.set(tool.name, tool),
    registerCommand: () => undefined,
    appendEntry: () => undefined,
    getSettings: () => ({ lcm: { dbDir: join(folder, 'memory'), leafChunkTokens: 1_000, ...settings } }),
  }
  const address = pathToFileURL(join(packageFolder, 'resources/adapters/pi/extension.js')).href
  const { default: extension } = (await import(address)) as { default: (given: typeof pi) => void }
  extension(pi)
  return {
    ...{ said, tools, folder },
    emit: (name: string, event: object = {}) => handlers.get(name)?.(event, ctx),
    say: (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const last = entries.at(-1)
        entries = [...entries, entry(entries.length, last?.id ?? null)]
      }
      write()
    },
    add: (more: Entry) => {
      entries = [...entries, more]
      write()
    },
    entries: () => entries,
  }
}

it('stores each entry of Pi once, answers a compaction by its summaries, and does not store that compaction again', async () => {
  const pi = await piWith({})
  await pi.emit('session_start', { reason: 'startup' })
  pi.say(40)
  await pi.emit('message_end')
  const preparation = { firstKeptEntryId: 'e30', tokensBefore: 9_000 }
  const signal = new AbortController().signal
  const asked = { preparation, branchEntries: pi.entries(), signal }
  const { compaction } = (await pi.emit('session_before_compact', asked)) as { compaction: Record<string, unknown> }
  expect(compaction).toMatchObject({ firstKeptEntryId: 'e30', tokensBefore: 9_000 })
  expect(compaction.summary).toContain('<summary id="sum_')
  const timestamp = new Date(atMs + 60_000).toISOString()
  pi.add({ type: 'compaction', id: 'c1', parentId: 'e39', timestamp, fromHook: true, ...compaction })
  const found = await pi.tools.get('lcm_grep')?.execute('call', { query: 'WORD7' })
  expect(found?.content[0]?.text).toContain('Part 7 says')
  await pi.emit('session_shutdown', { reason: 'quit' })
  await pi.emit('session_start', { reason: 'resume' })
  await pi.emit('session_shutdown', { reason: 'quit' })
  expect(pi.said).toEqual([])
  const [name = ''] = readdirSync(join(pi.folder, 'memory')).filter((one) => one.endsWith('.db'))
  const path = join(pi.folder, 'memory', name)
  const lcm = await openLcm(path, { readOnly: true })
  expect(lcm.read.column('SELECT external_id FROM messages ORDER BY seq')).toEqual(
    Array.from({ length: 40 }, (_, n) => `e${n}`),
  )
  expect(lcm.read.column("SELECT 1 FROM compaction_runs WHERE owner = 'import'")).toEqual([])
  await lcm.close()
  expect(wrong(await scanFile(path))).toEqual([])
})

it('says once why it cannot open its memory, and leaves Pi as it is', async () => {
  const blocked = join(temporaryFolder(), 'blocked')
  mkdirSync(blocked, { recursive: true })
  writeFileSync(join(blocked, 'file'), '')
  const pi = await piWith({ dbDir: join(blocked, 'file', 'memory') })
  pi.say(4)
  await pi.emit('session_start', { reason: 'startup' })
  await pi.emit('turn_end')
  expect(await pi.emit('before_agent_start', { systemPrompt: 'You help.' })).toBeUndefined()
  await pi.emit('session_shutdown', { reason: 'quit' })
  expect(pi.said).toHaveLength(1)
  expect(pi.said[0]).toContain('Pi goes on without it.')
  expect([...pi.tools]).toEqual([])
})
