import { copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDefinedError, safe } from '@orpc/client'
import { createRouterClient } from '@orpc/server'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { createRouter } from '#core/router.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { type Client, doors, type OpenDoor } from '../contract/doors.ts'
import { KEY, provider } from '../models/summarizers/ask-model.ts'
import { codeOf, good, type ModelServer, promptOf, startModelServer } from '../models/summarizers/model-server.ts'
import { MemoryKeyStore } from './memory-key-store.ts'

const resourcesDir = join(import.meta.dirname, '../../resources')
const folder = temporaryFolder()
const kept = { data: process.env.LCM_DATA_DIR, file: process.env.LCM_SETTINGS_FILE, key: process.env.TEST_KEY }
const settingsFile = join(folder, 'settings.json')

beforeAll(() => {
  process.env.LCM_DATA_DIR = join(folder, 'data')
  process.env.LCM_SETTINGS_FILE = settingsFile
  delete process.env.TEST_KEY
})
afterAll(() => {
  restore('LCM_DATA_DIR', kept.data)
  restore('LCM_SETTINGS_FILE', kept.file)
  restore('TEST_KEY', kept.key)
})
const restore = (name: string, value: string | undefined): void => {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

const memory = (): string => {
  const path = join(folder, `${crypto.randomUUID()}.db`)
  copyFileSync(join(resourcesDir, 'sample.db'), path)
  return path
}

let server: ModelServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
  rmSync(settingsFile, { force: true })
})

describe.each(doors)('settings $name', (door) => {
  let open: OpenDoor | undefined
  afterEach(async () => {
    await open?.close()
    open = undefined
  })

  it('are read, saved and tested in a window without a memory', async () => {
    server = await startModelServer(good('ready'))
    open = await door.open(null)
    const { settings } = open.client
    const before = await settings.report()
    expect(before).toMatchObject({ path: settingsFile, providers: [], chain: [], spendCapTokens: null })
    const after = await settings.save({
      values: { LCM_TOKEN_BUDGET: 12_345 },
      providers: [provider(server.url)],
      chain: ['local'],
      spendCapTokens: 5_000,
    })
    expect(after.providers[0]).toMatchObject({ name: 'local', keySource: 'none' })
    expect(after).toMatchObject({ chain: ['local'], spendCapTokens: 5_000 })
    expect(await settings.report()).toEqual(after)
    expect(await settings.testProvider({ name: 'local' })).toMatchObject({ ok: true, problem: null })
    const [error] = await safe(settings.save({ values: { LCM_TOKEN_BUDGET: 0 } }))
    expect(isDefinedError(error) && error.data).toMatchObject({ code: 'invalid_argument' })
    expect(isDefinedError(error) && error.data.message).toContain('LCM_TOKEN_BUDGET')
  })

  it('report variables of the environment that are not known', async () => {
    process.env.LCM_TOKN_BUDGET = '5'
    try {
      open = await door.open(null)
      const { unknown } = await open.client.settings.report()
      expect(unknown).toEqual([{ variable: 'LCM_TOKN_BUDGET', nearest: 'LCM_TOKEN_BUDGET' }])
    } finally {
      delete process.env.LCM_TOKN_BUDGET
    }
  })

  it('report what is wrong with the file instead of ignoring it', async () => {
    writeFileSync(settingsFile, '{ "values": { "LCM_TOKEN_BUDGET": -1 } }')
    open = await door.open(memory())
    const [reported] = await safe(open.client.settings.report())
    const [opened] = await safe(open.client.memory.info())
    expect(isDefinedError(reported) && reported.data.message).toContain('values.LCM_TOKEN_BUDGET')
    expect(isDefinedError(opened) && opened.data.message).toContain('values.LCM_TOKEN_BUDGET')
    writeFileSync(settingsFile, '{ "values": { "LCM_TOKEN_BUDGET": 1000 } }')
    expect((await open.client.memory.settings()).budgetTokens).toBe(1_000)
  })

  it('apply to an open memory as soon as they are saved', async () => {
    open = await door.open(memory())
    const { client } = open
    expect((await client.memory.settings()).budgetTokens).toBe(200_000)
    await client.settings.save({ values: { LCM_TOKEN_BUDGET: 54_321 } })
    expect((await client.memory.settings()).budgetTokens).toBe(54_321)
    expect((await client.conversations.list({})).total).toBeGreaterThan(0)
  })
})

/** A core in this process that keeps keys in memory. */
async function withCore<T>(path: string | null, body: (client: Client) => Promise<T>): Promise<T> {
  const machine = new Machine({ env: process.env, resourcesDir })
  const keys = new MemoryKeyStore()
  const core = new Core({
    path,
    open: { keys },
    machine,
    execute: executeHere({ keys }),
    confirm: async () => 'granted',
  })
  try {
    return await body(createRouterClient(createRouter(core)) as Client)
  } finally {
    await core.close()
  }
}

describe('a stored key', () => {
  it('is sent to its server and appears in no answer', async () => {
    server = await startModelServer(good('ready'))
    const { url } = server
    await withCore(null, async ({ settings }) => {
      await settings.save({ providers: [provider(url)] })
      await settings.setKey({ provider: 'local', key: KEY })
      const report = await settings.report()
      expect(report).toMatchObject({ canStoreKeys: true, providers: [{ keySource: 'key_store' }] })
      const test = await settings.testProvider({ name: 'local' })
      expect(test.ok).toBe(true)
      expect(server?.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
      expect(JSON.stringify([report, test])).not.toContain(KEY)
      // Changing the address does not reveal the key.
      const other = await startModelServer(good('ready'))
      await settings.save({ providers: [provider(other.url)] })
      await settings.testProvider({ name: 'local' })
      expect(other.asked.at(-1)?.headers.authorization).toBeUndefined()
      await other.close()
    })
  })

  it('is not repeated by the error that refuses it', async () => {
    await withCore(null, async ({ settings }) => {
      for (const key of [`${KEY} x`, KEY.repeat(500), { secret: KEY } as never]) {
        const [error] = await safe(settings.setKey({ provider: 'local', key }))
        expect(error).not.toBeNull()
        expect(JSON.stringify(error) + String(error?.message)).not.toContain(KEY)
      }
    })
  })
})

describe('the preview of a prompt', () => {
  const settings = { leafChunkTokens: 400, freshTailCount: 4, minMessagesToCompact: 2, leafConcurrency: 1 }

  it('equals what is sent, except for the random code', async () => {
    server = await startModelServer(good('Short.'))
    const { url } = server
    await withCore(memory(), async (client) => {
      await client.settings.save({ providers: [provider(url)] })
      const rows = (await client.conversations.list({})).conversations
      const largest = rows.toSorted((a, b) => (b.contextTokens ?? 0) - (a.contextTokens ?? 0))[0]
      const input = {
        conversationId: largest?.conversationId ?? 0,
        mode: 'leaf',
        settings,
        summarizer: 'local',
      } as const
      const plan = await client.compaction.plan(input)
      expect(plan.steps.length).toBeGreaterThan(1)
      const preview = await client.compaction.prompt({ ...input, step: 0, level: 'normal' })
      const { jobId } = await client.jobs.start({ kind: 'compact', ...input })
      await expect.poll(async () => (await client.jobs.list()).find((job) => job.jobId === jobId)?.state).toBe('done')
      const sent = server?.asked[0]
      if (!sent) throw new Error('nothing was sent')
      const code = codeOf(sent)
      const shown = /<record-([0-9a-f]{32})>/.exec(preview.system)?.[1] ?? ''
      const anonymous = (text: string, own: string): string =>
        text.replaceAll(own, 'CODE').replaceAll(own.slice(0, 8), 'MARK')
      expect(anonymous(preview.system, shown)).toBe(anonymous(promptOf(sent).system, code))
      expect(anonymous(preview.prompt, shown)).toBe(anonymous(promptOf(sent).prompt, code))
      expect(preview.tokens).toBeGreaterThan(100)
      expect(preview.source).toBe('LCM Inspector, leaf-v1')
    })
  })

  it('names planned summaries by their steps, and refuses steps that do not exist', async () => {
    await withCore(memory(), async (client) => {
      const rows = (await client.conversations.list({})).conversations
      const largest = rows.toSorted((a, b) => (b.contextTokens ?? 0) - (a.contextTokens ?? 0))[0]
      const more = { ...settings, condensedMinFanout: 2, leafChunkTokens: 200 }
      const input = { conversationId: largest?.conversationId ?? 0, mode: 'full', settings: more } as const
      const { steps } = await client.compaction.plan(input)
      const condensed = steps.findIndex((step) => step.sources.some((id) => id.startsWith('step_')))
      expect(condensed).toBeGreaterThan(0)
      const preview = await client.compaction.prompt({ ...input, step: condensed, level: 'aggressive' })
      expect(preview.prompt).toMatch(/\(the summary that step \d+ of the plan will write\)/)
      expect(preview.level).toBe('aggressive')
      const [error] = await safe(client.compaction.prompt({ ...input, step: steps.length }))
      expect(isDefinedError(error) && error.data.code).toBe('not_found')
    })
    expect(existsSync(settingsFile)).toBe(false)
  })
})
