import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { createRouterClient } from '@orpc/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ActivityReader } from '#core/activity/activity-reader.ts'
import { Recorder } from '#core/activity/recorder.ts'
import { Tools } from '#core/agents/tools/tools.ts'
import { LogInput, type LogLine } from '#core/contract/activity.ts'
import { contract } from '#core/contract/contract.ts'
import { JobSpec } from '#core/contract/job.ts'
import type { ProviderSettings } from '#core/contract/provider.ts'
import { Core } from '#core/core.ts'
import { createMcpServer } from '#core/doors/mcp/server.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { createRouter } from '#core/router.ts'
import { readSettings } from '#core/settings/settings.ts'
import { inProject } from '#scripts/project.mjs'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lcmHere } from '../doors/cli/lcm.ts'
import { good, json, type ModelServer, startModelServer } from '../models/summarizers/model-server.ts'

// Calls every procedure, runs every kind of job, and compacts with a model: some seconds.

/** This word is in every text, query, title, path and key of this test, and must be in no log and no count. */
const CANARY = 'zanzibarquartz'
const KEY = `sk-${CANARY}-0123456789abcdef`
const TEXT = `What ${CANARY} said: the vault is open. Decision: keep /home/${CANARY}/notes.md.`

let home: string
let memory: TestMemory
let server: ModelServer
let core: Core
let recorder: Recorder
const logFolder = (): string => join(home, 'data', 'log')

beforeAll(async () => {
  home = join(temporaryFolder(), CANARY)
  memory = buildMemory({
    conversations: [
      {
        title: `Title of ${CANARY}`,
        sessionId: `file:/home/${CANARY}/talk.json`,
        messages: Array.from({ length: 60 }, (_, n) => ({ content: `${TEXT} ${n}` })),
      },
    ],
  })
  memory.message(1, {
    role: 'assistant',
    parts: [
      { part_type: 'subtask', subtask_prompt: TEXT, subtask_desc: TEXT, subtask_agent: CANARY },
      { part_type: 'patch', patch_hash: CANARY, patch_files: `["/home/${CANARY}/a.ts"]` },
      { part_type: 'snapshot', snapshot_hash: CANARY },
    ],
  })
  // What other systems on this machine are set to: a text where a number belongs, a key, and a file that is broken.
  for (const [path, text] of [
    ['.argentos/argent.json', `{"plugins":{"config":{"aos-lcm":{"freshTailCount":"${CANARY}","apiKey":"${KEY}"}}}}`],
    ['.pi/agent/settings.json', `{"lcm": {"maxDepth": 2}, "key": "${KEY}", oops ${CANARY}`],
    ['.hermes/config.yaml', `lcm:\n  fresh_tail_count: [${CANARY}\n`],
  ] as const) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  server = await startModelServer(good(`A summary of ${CANARY}.`))
  process.env.CANARY_KEY = KEY
  const provider: ProviderSettings = {
    name: 'local',
    kind: 'openai-compatible',
    baseUrl: server.url,
    model: 'tiny-1',
    keyVariable: 'CANARY_KEY',
    timeoutMs: 120_000,
    maxOutputTokens: 500,
    inputPrice: null,
    outputPrice: null,
  }
  const models = { providers: [provider], chain: ['local'], spendCapTokens: null, promptsDir: null }
  const small = { LCM_LEAF_CHUNK_TOKENS: '400', LCM_FRESH_TAIL_COUNT: '2', LCM_LEAF_TARGET_TOKENS: '60' }
  const env = { LCM_DATA_DIR: join(home, 'data'), LCM_CACHE_DIR: join(home, 'cache') }
  const open = { settings: readSettings(small, models), dataDir: env.LCM_DATA_DIR, cacheDir: env.LCM_CACHE_DIR }
  recorder = new Recorder({ folder: logFolder(), level: 'debug' })
  core = new Core({
    path: memory.path,
    open,
    machine: new Machine({ env, resourcesDir: inProject('resources'), home, cwd: home }),
    execute: executeHere(open),
  })
})
afterAll(async () => {
  delete process.env.CANARY_KEY
  await server.close()
  await core.close()
  await recorder.close()
  memory.close()
})

type JsonSchema = {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly minimum?: number
}
const toJson = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

/** A value that a schema accepts, with the canary wherever it may be. */
function stuffed(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [first] = schema.oneOf ?? schema.anyOf ?? []
  if (first) return stuffed(first)
  if (schema.type === 'object')
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, stuffed(one)]))
  if (schema.type === 'array') return [stuffed(schema.items ?? {})]
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 1)
  if (schema.type === 'boolean') return true
  return `${CANARY} or so`
}

type Call = (input: unknown) => Promise<unknown>
type Procedure = { readonly '~orpc': { readonly inputSchema?: z.ZodType } }

/** Every procedure by its name, but for the stream of events, which does not end. */
const procedures: readonly (readonly [name: string, procedure: Procedure])[] = Object.entries(contract).flatMap(
  ([area, group]) =>
    '~orpc' in group
      ? []
      : Object.entries(group).map(([name, one]): [string, Procedure] => [`${area}.${name}`, one as never]),
)

async function callAll(inputOf: (procedure: Procedure) => unknown): Promise<void> {
  const client = createRouterClient(createRouter(core)) as unknown as Record<string, Record<string, Call>>
  for (const [name, procedure] of procedures) {
    const [area = '', method = ''] = name.split('.')
    try {
      const answer = await client[area]?.[method]?.(inputOf(procedure))
      if (typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer)
        for await (const _ of answer as AsyncIterable<unknown>);
    } catch {
      // A refusal is logged, too, and that is what is looked at here.
    }
  }
  // A conversation is compacted by one job at a time, and a call may have started one.
  await expect.poll(() => core.jobs.list().filter(({ state }) => state === 'running')).toEqual([])
}

async function runJob(spec: z.input<typeof JobSpec>): Promise<void> {
  const jobId = core.jobs.start({ path: memory.path, create: false, spec: JobSpec.parse(spec) })
  await expect.poll(() => core.jobs.list().find((job) => job.jobId === jobId)?.state).not.toBe('running')
}

async function logged(): Promise<LogLine[]> {
  const levels = ['debug', 'info', 'warn', 'error']
  const page = await new ActivityReader(logFolder(), memory.path).log(
    LogInput.parse({ of: 'all', levels, limit: 1000 }),
  )
  expect(page.nextCursor).toBeNull()
  return page.lines
}

/** Everything that is on the disk of logs and counts, as it is there. */
const written = (): string =>
  readdirSync(logFolder())
    .map((name) => readFileSync(join(logFolder(), name), 'latin1'))
    .join('\n')

describe('logs and counts', () => {
  it('hold no text, query, path or key of any call, of any procedure, whether it succeeds or fails', async () => {
    await callAll(({ '~orpc': { inputSchema } }) => (inputSchema ? stuffed(toJson(inputSchema)) : undefined))
    await callAll(() => ({ [CANARY]: CANARY, query: 7, id: `${CANARY}\n`, path: [CANARY] }))
    const lines = await logged()
    const named = new Set(lines.map(({ procedure }) => procedure))
    // Looking at the log is not logged.
    const expected = procedures.map(([name]) => name).filter((name) => !name.startsWith('activity.'))
    expect(expected.filter((name) => !named.has(name))).toEqual([])
    expect(new Set(lines.map(({ event }) => event))).toContain('call.failed')
    expect(lines.filter(({ error_code }) => error_code === 'internal')).toEqual([])
    expect(written()).not.toContain(CANARY)
  })

  it('hold no text, path or key of any kind of job, of a compaction with a model, and of a model that fails', async () => {
    const compact = { kind: 'compact', conversationId: 1, summarizer: 'local', mode: 'leaf' } as const
    await runJob(compact)
    server.behave((response) => json(response, 401, { error: { message: `${KEY} is wrong, said ${CANARY}` } }))
    await runJob({ ...compact, mode: 'full', settings: { freshTailCount: 0, minMessagesToCompact: 0 } })
    const kinds = toJson(JobSpec).oneOf ?? toJson(JobSpec).anyOf ?? []
    for (const kind of kinds) await runJob(stuffed(kind) as z.input<typeof JobSpec>)
    await runJob({ kind: 'integrity' })
    const lines = await logged()
    const done = new Set(lines.map(({ job_kind }) => job_kind))
    expect(kinds.map(({ properties }) => properties?.kind?.const).filter((kind) => !done.has(kind as never))).toEqual(
      [],
    )
    const events = new Set(lines.map(({ event }) => event))
    for (const event of ['run.started', 'run.done', 'node.made', 'model.answered', 'model.failed', 'scan.done']) {
      expect(events).toContain(event)
    }
    expect(lines.find(({ event }) => event === 'run.done')).toMatchObject({
      conversation_id: 1,
      session_id: expect.any(String),
      compaction_id: expect.stringMatching(/^run_/),
      trigger_reason: 'manual',
      token_before: expect.any(Number),
      token_after: expect.any(Number),
    })
    expect(lines.find(({ event }) => event === 'node.made')?.summary_id).toMatch(/^sum_/)
    expect(written()).not.toContain(CANARY)
    expect(written()).not.toContain(KEY.slice(0, 12))
  })

  it('hold no text, query or path of what an agent asks over MCP', async () => {
    const [here, there] = InMemoryTransport.createLinkedPair()
    const client = new Client({ name: 'test', version: '0' })
    await createMcpServer(new Tools(() => core.lcm(), { kind: 'all' }), { version: '0', path: memory.path }).connect(
      there,
    )
    await client.connect(here)
    for (const name of ['lcm_grep', 'lcm_describe', 'lcm_expand', 'lcm_expand_query', 'lcm_loss']) {
      for (const input of [{ query: CANARY, pattern: CANARY, id: CANARY, ids: [CANARY], prompt: CANARY }, {}]) {
        await client.callTool({ name, arguments: input })
      }
    }
    await client.close()
    const tools = new Set((await logged()).map(({ tool }) => tool))
    expect(tools).toContain('lcm_describe')
    expect(written()).not.toContain(CANARY)
  })

  it('hold no text, query or path of a command, whether it succeeds or fails', async () => {
    const unknown = { [`LCM_${CANARY.toUpperCase()}`]: KEY, [`LCM_${CANARY}`]: CANARY }
    const env = { LCM_DATA_DIR: join(home, 'data'), LCM_LOG_LEVEL: 'debug', ...unknown }
    const db = ['--db', memory.path]
    for (const args of [
      ['grep', CANARY, ...db],
      ['grep', `(${CANARY}`, '--mode', 'regex', ...db],
      ['describe', CANARY, ...db],
      ['stats', '--db', join(home, `${CANARY}.db`)],
      ['integrity', ...db],
      ['import', join(home, CANARY), '--db', join(home, 'new.db')],
    ]) {
      await lcmHere(args, { env })
    }
    const commands = new Set((await logged()).map(({ command }) => command))
    await lcmHere(['stats', ...db], { env: { ...env, LCM_TOKEN_BUDGET: CANARY } })
    await lcmHere(['grep', CANARY, ...db], { env: { ...env, LCM_LOG_LEVEL: CANARY } })
    for (const command of ['grep', 'describe', 'stats', 'integrity', 'import']) expect(commands).toContain(command)
    expect(written()).not.toContain(CANARY)
    expect(written()).not.toContain(CANARY.toUpperCase())
  })
})
