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
  let leaf: string | null = null
  const handlers = new Map<string, Handler>()
  const tools = new Map<string, Tool>()
  const said: string[] = []
  const write = (): void =>
    writeFileSync(file, `${[header, ...entries].map((one) => JSON.stringify(one)).join('\n')}\n`)
  const add = (more: Entry): void => {
    entries = [...entries, more]
    leaf = more.id
    write()
  }
  const spoken = (): number => entries.filter(({ type }) => type !== 'custom').length
  const session = {
    ...{ getSessionId: () => 's1', getSessionFile: () => file, getHeader: () => header },
    ...{ getEntries: () => [...entries], getBranch: () => branchTo(entries, leaf) },
  }
  const ui = { notify: (text: string) => said.push(text), setStatus: () => undefined }
  const ctx = { cwd: folder, hasUI: true, model: { contextWindow: 100_000 }, sessionManager: session, ui }
  const pi = {
    on: (name: string, handler: Handler) => handlers.set(name, handler),
    registerTool: (tool: Tool) => tools.set(tool.name, tool),
    registerCommand: () => undefined,
    appendEntry: (customType: string, data: unknown) => {
      const timestamp = new Date(atMs).toISOString()
      add({ type: 'custom', id: `n${entries.length}`, parentId: leaf, timestamp, customType, data })
    },
    getSettings: () => ({ lcm: { dbDir: join(folder, 'memory'), leafChunkTokens: 1_000, ...settings } }),
  }
  const address = pathToFileURL(join(packageFolder, 'resources/adapters/pi/extension.js')).href
  const { default: extension } = (await import(address)) as { default: (given: typeof pi) => void }
  extension(pi)
  const emit = (name: string, event: object = {}, given: object = ctx) => handlers.get(name)?.(event, given)
  return {
    ...{ said, tools, folder, emit, add },
    say: (count: number) => {
      for (let n = 0; n < count; n += 1) add(entry(spoken(), leaf))
    },
    /** An answer that the person stopped. */
    stop: () => {
      const stopped = entry(spoken() | 1, leaf)
      const message = { ...(stopped.message as object), stopReason: 'aborted' }
      add({ ...stopped, id: `stopped${entries.length}`, message })
    },
    rewind: async (id: string) => {
      leaf = id
      await emit('session_tree')
    },
    entries: () => entries,
    /** What Pi is to send in the place of everything before an entry. */
    compact: async (firstKeptEntryId: string, signal = new AbortController().signal) => {
      const preparation = { firstKeptEntryId, tokensBefore: 9_000 }
      const asked = { preparation, branchEntries: branchTo(entries, leaf), signal }
      const answer = (await emit('session_before_compact', asked)) as { compaction: Compacted } | undefined
      return answer?.compaction
    },
    write: (compaction: Compacted | undefined) => {
      const timestamp = new Date(atMs + entries.length * 1000).toISOString()
      const id = `c${entries.length}`
      add({ type: 'compaction', id, parentId: leaf, timestamp, fromHook: true, ...compaction })
    },
    /** What the memory says, when nothing has it open any more. */
    read: async (sql: string): Promise<string[]> => {
      const lcm = await openLcm(memoryIn(folder), { readOnly: true })
      try {
        return lcm.read.column<string>(sql)
      } finally {
        await lcm.close()
      }
    },
  }
}

type Compacted = Readonly<Record<string, unknown>>

function branchTo(entries: readonly Entry[], leaf: string | null): Entry[] {
  const branch: Entry[] = []
  for (let id: unknown = leaf; id !== null; ) {
    const found = entries.find((one) => one.id === id)
    if (found === undefined) break
    branch.unshift(found)
    id = found.parentId
  }
  return branch
}

function memoryIn(folder: string): string {
  const [name = ''] = readdirSync(join(folder, 'memory')).filter((one) => one.endsWith('.db'))
  return join(folder, 'memory', name)
}

const STANDING = "SELECT run_id FROM compaction_runs WHERE owner <> 'import' AND stop_reason IS NOT 'undone'"

it('stores each entry of Pi once, answers a compaction by its summaries, and does not store that compaction again', async () => {
  const pi = await piWith({})
  await pi.emit('session_start', { reason: 'startup' })
  pi.say(40)
  await pi.emit('message_end')
  const compaction = await pi.compact('e30')
  expect(compaction).toMatchObject({ firstKeptEntryId: 'e30', tokensBefore: 9_000 })
  expect(compaction?.summary).toContain('<summary id="sum_')
  pi.write(compaction)
  const found = await pi.tools.get('lcm_grep')?.execute('call', { query: 'WORD7' })
  expect(found?.content[0]?.text).toContain('Part 7 says')
  await pi.emit('session_shutdown', { reason: 'quit' })
  await pi.emit('session_start', { reason: 'resume' })
  await pi.emit('session_shutdown', { reason: 'quit' })
  expect(pi.said).toEqual([])
  expect(await pi.read('SELECT external_id FROM messages ORDER BY seq')).toEqual(
    Array.from({ length: 40 }, (_, n) => `e${n}`),
  )
  expect(await pi.read("SELECT 1 FROM compaction_runs WHERE owner = 'import'")).toEqual([])
  expect(wrong(await scanFile(memoryIn(pi.folder)))).toEqual([])
  const notes = pi.entries().filter(({ type }) => type === 'custom')
  expect(notes).toMatchObject([{ customType: 'lcm', data: { memory: memoryIn(pi.folder), session: 's1' } }])
})

it('answers a compaction after a stopped answer and after a branch that was given up, from the entry that Pi keeps', async () => {
  const pi = await piWith({})
  pi.say(20)
  pi.stop()
  pi.say(6)
  await pi.emit('session_start', { reason: 'resume' })
  await pi.rewind('e22')
  pi.say(20)
  pi.stop()
  await pi.emit('session_shutdown', { reason: 'quit' })
  await pi.emit('session_start', { reason: 'resume' })
  const first = await pi.compact('e40')
  expect(first).toMatchObject({ firstKeptEntryId: 'e40' })
  pi.write(first)
  pi.say(12)
  const second = await pi.compact('e52')
  expect(second).toMatchObject({ firstKeptEntryId: 'e52' })
  await pi.emit('session_shutdown', { reason: 'quit' })
  expect(pi.said).toEqual([])
  expect(await pi.read(STANDING)).toHaveLength(2)
})

it('leaves no compaction in the memory that Pi is not given, or does not write down', async () => {
  const pi = await piWith({})
  pi.say(40)
  await pi.emit('session_start', { reason: 'startup' })
  expect(await pi.compact('e30')).toBeDefined()
  await pi.emit('session_compact_failed', { aborted: true, fromExtension: true })
  expect(await pi.compact('e30', AbortSignal.abort())).toBeUndefined()
  const abort = new AbortController()
  setTimeout(() => abort.abort(), 5)
  await pi.compact('e30', abort.signal).then((compaction) => {
    if (compaction !== undefined) return pi.emit('session_compact_failed', { aborted: true })
  })
  expect(await pi.compact('no such entry')).toBeUndefined()
  expect(await pi.compact('e30')).toBeDefined()
  await pi.emit('session_compact', { compactionEntry: { type: 'compaction', id: 'other' } })
  await pi.emit('session_shutdown', { reason: 'quit' })
  expect(pi.said).toEqual([])
  expect(await pi.read(STANDING)).toEqual([])
})

it('takes every compaction back whose branch was left, and makes none while a rewind waits for words', async () => {
  const pi = await piWith({})
  pi.say(30)
  await pi.emit('session_start', { reason: 'startup' })
  for (const kept of ['e20', 'e50']) {
    pi.write(await pi.compact(kept))
    await pi.emit('session_compact', { compactionEntry: pi.entries().at(-1) })
    await pi.rewind('e29')
    expect(await pi.compact('e20')).toBeUndefined()
    pi.say(30)
    await pi.emit('turn_end')
  }
  await pi.emit('session_shutdown', { reason: 'quit' })
  expect(pi.said).toEqual([])
  expect(await pi.read("SELECT run_id FROM compaction_runs WHERE owner <> 'import'")).toHaveLength(2)
  expect(await pi.read(STANDING)).toEqual([])
})

it('says nothing and fails nothing when Pi has replaced the session meanwhile', async () => {
  const pi = await piWith({})
  pi.say(4)
  await pi.emit('session_start', { reason: 'startup' })
  const stale = new Proxy(
    {},
    {
      get: () => {
        throw new Error('This extension ctx is stale.')
      },
    },
  )
  await pi.emit('session_before_compact', { preparation: {}, signal: new AbortController().signal }, stale)
  await pi.emit('turn_end', {}, stale)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await pi.emit('session_shutdown', { reason: 'quit' }, stale)
  expect(pi.said).toEqual([])
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
