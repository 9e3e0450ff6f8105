import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import { cliPath } from '#test/builders/built-program.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { copyOf } from '#test/sqlite/fixtures.ts'
import { folderState } from '#test/sqlite/folder-state.ts'
import { ended, lcmHere, startLcm } from '../cli/lcm.ts'
import { HOSTILE, importedMemory } from '../cli/memories.ts'
import { type Connected, connect } from './mcp-client.ts'

const Hits = z.looseObject({
  total: z.int(),
  nextCursor: z.string().nullable(),
  hits: z.array(
    z.looseObject({
      id: z.string(),
      kind: z.string(),
      snippet: z.string(),
      createdAt: z.string().nullable(),
      coveredBy: z.array(z.string()),
    }),
  ),
})
const Expanded = z.looseObject({
  nodes: z.array(z.looseObject({ id: z.string() })),
  messages: z.array(z.looseObject({ id: z.string(), content: z.string() })),
  tokens: z.int(),
  truncated: z.boolean(),
  next: z.array(z.string()),
  tooLarge: z.array(z.string()),
})
const Described = z.looseObject({
  id: z.string(),
  kind: z.string(),
  content: z.string(),
  nextOffset: z.int().nullable(),
  sources: z.array(z.string()),
})
const Failure = z.object({ error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }) })

let original: string
let db: string
let server: Connected | null = null
const start = async (
  args: readonly string[] = ['--db', db],
  options: Parameters<typeof connect>[1] = {},
): Promise<Connected> => {
  server = await connect(args, options)
  return server
}

let shared: Connected | null = null
/** One server for those that only ask. */
const running = async (): Promise<Connected> => {
  shared ??= await connect(['--db', db])
  return shared
}
afterAll(() => shared?.close())

beforeAll(async () => {
  original = (await importedMemory()).db
  const settings = ['leafChunkTokens=1500', 'leafTargetTokens=200', 'condensedTargetTokens=200'].flatMap((set) => [
    '--set',
    set,
  ])
  const compacted = await lcmHere(['compact', '--db', original, '--conversation', '1', ...settings])
  expect(compacted.code).toBe(0)
  db = join(temporaryFolder(), 'lcm.db')
  copyFileSync(original, db)
})
afterEach(async () => {
  await server?.close()
  server = null
})

describe('lcm mcp', () => {
  it('offers five read-only tools', async () => {
    const { client } = await start()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'lcm_grep',
      'lcm_describe',
      'lcm_expand',
      'lcm_expand_query',
      'lcm_loss',
    ])
    for (const { annotations, description, inputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false, destructiveHint: false })
      expect(description?.length).toBeGreaterThan(50)
      expect(inputSchema.type).toBe('object')
    }
    expect(client.getInstructions()).toContain('lcm_grep')
  })

  it('describes itself with the same text in every process and for every file, so that caches stay valid', async () => {
    const hashes = new Set<string>()
    const other = join(temporaryFolder(), 'other.db')
    openNative(other).close()
    for (const args of [
      ['--db', db],
      ['--db', db, '--conversation', '1'],
      ['--db', other],
    ]) {
      const { client } = await start(args)
      for (let turn = 0; turn < 2; turn += 1) {
        const told = JSON.stringify([await client.listTools(), client.getInstructions()])
        hashes.add(createHash('sha256').update(told).digest('hex'))
      }
      await server?.close()
    }
    // A change here costs every agent its cached prompt once: change it on purpose only.
    expect([...hashes]).toEqual(['25bb264b01396c20dc7ae3c9de6ca3f041f86dff9176a1a7955d45f168f87742'])
  })

  it('searches, describes, expands and answers questions', async () => {
    const { call } = await running()
    const found = Hits.parse((await call('lcm_grep', { query: 'lock', limit: 5 })).data)
    expect(found.hits).toHaveLength(5)
    expect(found.total).toBeGreaterThan(5)
    expect(found.hits[0]?.createdAt).toMatch(/^\d{4}-\d\d-\d\dT/)
    const more = Hits.parse((await call('lcm_grep', { query: 'lock', limit: 5, cursor: found.nextCursor })).data)
    expect(more.hits.map(({ id }) => id)).not.toEqual(expect.arrayContaining(found.hits.map(({ id }) => id)))
    const summary = found.hits.flatMap(({ coveredBy }) => coveredBy)[0] ?? ''
    const described = Described.parse((await call('lcm_describe', { id: summary })).data)
    expect(described).toMatchObject({ id: summary, nextOffset: null })
    const expanded = Expanded.parse(
      (await call('lcm_expand', { summaryId: summary, includeMessages: true, tokenCap: 500 })).data,
    )
    expect(expanded.tokens).toBeLessThanOrEqual(500)
    const asked = await call('lcm_expand_query', {
      prompt: 'Which lock is taken?',
      summaryIds: [summary],
      tokenCap: 400,
    })
    expect(asked.isError).toBe(false)
    expect(asked.data.citations).not.toEqual([])
    expect(asked.data.tokensUsed).toBeLessThanOrEqual(400)
    expect(JSON.parse(asked.text)).toEqual(asked.data)
  })

  it('returns everything below a summary page by page, with no page above the cap', async () => {
    const { call } = await running()
    const [summary = ''] = openedColumn(db, 'SELECT summary_id FROM summaries WHERE depth >= 1 LIMIT 1')
    const ids: string[] = []
    const estimator = createTokenEstimator()
    for (let cursor: string | undefined; ; ) {
      const page = Expanded.parse(
        (await call('lcm_expand', { summaryId: summary, depth: 99, includeMessages: true, tokenCap: 2000, cursor }))
          .data,
      )
      expect(page.tokens).toBeLessThanOrEqual(2000)
      expect(page.messages.reduce((sum, { content }) => sum + estimator.count(content), 0)).toBeLessThanOrEqual(2000)
      ids.push(...page.nodes.map(({ id }) => id), ...page.messages.map(({ id }) => id), ...page.tooLarge)
      cursor = page.next[0]
      if (cursor === undefined) break
    }
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(20)
  })

  it('returns a long text in pieces that fit together', async () => {
    const content = Array.from({ length: 9_000 }, (_, n) => `line ${n} 数据 🚀`).join('\n')
    const copy = join(temporaryFolder(), 'long.db')
    copyFileSync(original, copy)
    const writer = openNative(copy)
    writer.run(insertMessage(900_001), { content })
    writer.close()
    const { call } = await start(['--db', copy])
    let text = ''
    for (let offset: number | null = 0; offset !== null; ) {
      const piece = Described.parse((await call('lcm_describe', { id: 'msg_900001', offset, tokenCap: 8000 })).data)
      text += piece.content
      offset = piece.nextOffset
    }
    expect(text).toBe(content)
  })

  it('refuses invalid calls with reason and next step, and keeps answering', async () => {
    const { call, client } = await running()
    const code = async (name: string, input: unknown) => {
      const { isError, data } = await call(name, input)
      expect(isError).toBe(true)
      return Failure.parse(data).error.code
    }
    expect(await code('lcm_describe', { id: 'sum_nothing' })).toBe('not_found')
    expect(await code('lcm_expand', { summaryId: 'msg_1' })).toBe('invalid_argument')
    expect(await code('lcm_grep', { query: '(', mode: 'regex' })).toBe('invalid_argument')
    expect(await code('lcm_grep', { query: 'x', after: 'yesterday' })).toBe('invalid_argument')
    expect(await code('lcm_grep', { query: 'x', cursor: 'made-up' })).toBe('invalid_argument')
    expect(await code('lcm_expand_query', { prompt: 'x', summarizer: 'nobody' })).toBe('invalid_argument')
    for (const id of [
      "x'; DROP TABLE messages; --",
      '../../etc/passwd',
      '\u0000',
      '__proto__',
      'msg_99999999999999999999',
    ]) {
      expect(['not_found', 'invalid_argument']).toContain(await code('lcm_describe', { id }))
    }
    expect((await client.listTools()).tools).toHaveLength(5)
  })

  it('answers after a hostile pattern as it did before', async () => {
    const { call } = await running()
    for (const query of ['^(a+)+$', '(.*)*x']) {
      const { isError, data } = await call('lcm_grep', { query, mode: 'regex' })
      // Done with or stopped, never waited for: the time that it may take is that of the runner.
      expect(isError ? Failure.parse(data).error.code : 'pattern_too_slow').toBe('pattern_too_slow')
    }
    expect(Hits.parse((await call('lcm_grep', { query: 'lock' })).data).total).toBeGreaterThan(0)
  })

  it('passes hostile text as data, in whole messages of the protocol', async () => {
    const { call, said } = await start()
    const { data, text } = await call('lcm_grep', { query: 'Hostile question', mode: 'literal' })
    expect(Hits.parse(data).hits.length).toBeGreaterThan(0)
    expect(JSON.parse(text)).toEqual(data)
    const [id = ''] = Hits.parse(data).hits.map((hit) => hit.id)
    expect(JSON.stringify((await call('lcm_describe', { id })).data)).toContain(
      JSON.stringify(HOSTILE.slice(0, 30)).slice(1, -1),
    )
    expect(said()).toBe('')
  })

  it('returns nothing of other conversations when it is pinned to one', async () => {
    const { call } = await start(['--db', db, '--conversation', '2'])
    expect(Hits.parse((await call('lcm_grep', { query: 'lock OR Hostile' })).data).hits.length).toBeGreaterThan(0)
    const hits = Hits.parse((await call('lcm_grep', { query: 'lock' })).data)
    expect(hits.total).toBe(0)
    const [foreign = ''] = openedColumn(db, 'SELECT summary_id FROM summaries WHERE conversation_id = 1 LIMIT 1')
    for (const [name, input] of [
      ['lcm_describe', { id: foreign }],
      ['lcm_describe', { id: 'msg_1' }],
      ['lcm_expand', { summaryId: foreign }],
      ['lcm_expand_query', { prompt: 'lock', summaryIds: [foreign] }],
      ['lcm_expand_query', { prompt: 'lock', conversationId: 1 }],
      ['lcm_grep', { query: 'lock', within: foreign }],
      ['lcm_grep', { query: 'lock', conversationIds: [1, 2] }],
    ] as const) {
      const { isError, data } = await call(name, input)
      expect([name, isError && Failure.parse(data).error.code]).toEqual([name, 'grant_scope'])
    }
    const asked = await call('lcm_expand_query', { prompt: 'Which lock is taken?' })
    expect(asked.data.citations).toEqual([])
  })

  it('follows no damaged link into another conversation when it is pinned to one', async () => {
    const damaged = join(temporaryFolder(), 'damaged.db')
    copyFileSync(original, damaged)
    const writer = openNative(damaged)
    writer.exec('PRAGMA foreign_keys = OFF')
    writer.run(insertMessage(900004, 2), { content: 'quartzline of another' })
    const leaf =
      writer.value<string>(`SELECT summary_id FROM summaries WHERE conversation_id = 1 AND kind = 'leaf'`) ?? ''
    writer.run('INSERT INTO summary_messages VALUES (:leaf, 900004, 9999)', { leaf })
    writer.close()
    for (const [pinned, isGiven] of [
      [['--conversation', '1'], false],
      [[], true],
    ] as const) {
      const { call, close } = await connect(['--db', damaged, ...pinned])
      const said: string[] = []
      for (let cursor: string | undefined; ; ) {
        const input = { summaryId: leaf, includeMessages: true, tokenCap: 8000, cursor }
        const { data, text } = await call('lcm_expand', input)
        said.push(text)
        cursor = Expanded.parse(data).next[0]
        if (cursor === undefined) break
      }
      const asked = await call('lcm_expand_query', { prompt: 'quartzline', summaryIds: [leaf] })
      expect([asked.isError, said.join().includes('quartzline')]).toEqual([false, isGiven])
      expect(JSON.stringify(asked.data.citations)).not.toContain('quartzline')
      await close()
    }
  })

  it('sees what others write meanwhile, and writes nothing itself', async () => {
    const live = join(temporaryFolder(), 'live.db')
    copyFileSync(original, live)
    const { call } = await start(['--db', live])
    const total = async () => Hits.parse((await call('lcm_grep', { query: 'zebracrossing' })).data).total
    expect(await total()).toBe(0)
    const writer = openNative(live)
    writer.run(insertMessage(900002), { content: 'a zebracrossing ahead' })
    expect(await total()).toBe(1)
    writer.run(insertMessage(900003), { content: 'another zebracrossing' })
    expect(await total()).toBe(2)
    writer.close()
    expect(await total()).toBe(2)
  })

  it('serves a file of another system and leaves it unchanged', async () => {
    const path = copyOf('lossless-claw/small.db')
    const before = folderState(dirname(path))
    const { call } = await start(['--db', path])
    const { hits } = Hits.parse((await call('lcm_grep', { query: 'the', scope: 'both', limit: 50 })).data)
    expect(hits.length).toBeGreaterThan(0)
    const [summary = ''] = Hits.parse(
      (await call('lcm_grep', { query: 'summary OR the OR a', scope: 'summaries' })).data,
    ).hits.map(({ id }) => id)
    expect(
      Expanded.parse((await call('lcm_expand', { summaryId: summary, depth: 9, includeMessages: true })).data).tokens,
    ).toBeGreaterThan(0)
    await server?.close()
    expect(folderState(dirname(path))).toEqual(before)
  })
})

describe('the process of lcm mcp', () => {
  it('ends with code 1 for a conversation that does not exist', async () => {
    const ran = await ended(startLcm(['mcp', '--db', db, '--conversation', '777']))
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^lcm: not_found: .*lcm stats/) })
  })

  it('ends with code 5 for a file that is no memory, and prints nothing on standard output', async () => {
    const ran = await ended(startLcm(['mcp', '--db', join(temporaryFolder(), 'nothing.db')]))
    expect(ran).toMatchObject({ code: 5, stdout: '', stderr: expect.stringMatching(/^lcm: file_missing: /) })
  })

  it('answers what was asked before its input ended, also in a last line without its end, then ends with code 0', async () => {
    const { spawn } = await import('node:child_process')
    const { environment } = await import('../cli/lcm.ts')
    const child = spawn(process.execPath, [cliPath, 'mcp', '--db', db], {
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const asked = [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '0' } },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'lcm_grep', arguments: { query: 'lock' } } },
    ]
    child.stdin.end(asked.map((one) => JSON.stringify(one)).join('\n'))
    const ran = await ended(child)
    const lines = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id?: number; jsonrpc: string })
    expect(lines.map(({ id, jsonrpc }) => [id, jsonrpc])).toEqual([
      [1, '2.0'],
      [2, '2.0'],
    ])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
  })

  it('ends quietly when its output is closed, and on a signal', async () => {
    for (const end of ['unpipe', 'SIGTERM'] as const) {
      const { spawn } = await import('node:child_process')
      const { environment } = await import('../cli/lcm.ts')
      const child = spawn(process.execPath, [cliPath, 'mcp', '--db', db], {
        env: environment(),
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      child.stdin.on('error', () => undefined)
      const initialize = {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '0' } },
      }
      child.stdin.write(`${JSON.stringify(initialize)}\n`)
      await new Promise((heard) => child.stdout.once('data', heard))
      const done = ended(child)
      if (end === 'SIGTERM') child.kill('SIGTERM')
      else {
        child.stdout.destroy()
        for (let id = 2; id < 30; id += 1)
          child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' })}\n`)
      }
      const ran = await done
      expect([end, ran.code, ran.stderr]).toEqual([end, 0, ''])
    }
  })

  it('does not add to the recent files, and leaves nothing beside the memory', async () => {
    const alone = join(temporaryFolder(), 'alone.db')
    copyFileSync(original, alone)
    const { call } = await start(['--db', alone])
    await call('lcm_grep', { query: 'lock' })
    await server?.close()
    expect(readdirSync(dirname(alone))).toEqual(['alone.db'])
    const { code, stdout } = await lcmHere(['stats', '--db', alone, '--json'])
    expect([code, stdout.length > 0]).toEqual([0, true])
  })
})

const insertMessage = (id: number, conversation = 1): string => `
  INSERT INTO messages (message_id, conversation_id, seq, role, token_count, created_at, content_hash, content)
  VALUES (${id}, ${conversation}, ${id}, 'tool', 1, 0, '${'0'.repeat(64)}', :content)`

function openedColumn(path: string, sql: string): string[] {
  using memory = openNative(path)
  return memory.column<string>(sql)
}
