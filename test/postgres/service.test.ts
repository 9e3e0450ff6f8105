import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import { Core } from '#core/core.ts'
import { remoteProcedures } from '#core/doors/remote-service.ts'
import { executeHere } from '#core/doors/run-job.ts'
import type { HostCallName } from '#core/host/hosted-memory.ts'
import { RemoteMemory } from '#core/host/remote-memory.ts'
import { Machine } from '#core/machine/machine.ts'
import { ConversationsOfTenant } from '#core/remote/conversations-of-tenant.ts'
import { readSettings } from '#core/settings/settings.ts'
import { processKey } from '#core/sqlite/process-mark.ts'
import { hosted, turns } from '../builders/hosted.ts'
import { STORY_BEGINS_MS } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { type InProcess, inProcess } from './pglite.ts'
import { attackAsService, fillTwoTenants, OWN, stateOfOther } from './two-tenants.ts'

// One suite, two stores: what an agent asks is answered the same from a file and from PostgreSQL.

type Answer = Record<string, unknown>
type Store = {
  ask(name: HostCallName, input: unknown): Promise<Answer>
  integrity(conversationId: number): Promise<{ ok: boolean; messages: number }>
  grep(conversationId: number, query: string): Promise<string[]>
  close(): Promise<void>
}

const never = new AbortController().signal
const SMALL = { budgetTokens: 2_000, minMessagesToCompact: 2, freshTailCount: 4 }
let server: InProcess
let tenants = 0
beforeAll(async () => {
  server = await inProcess()
})
afterAll(() => server.close())

const newTenant = (): string => {
  tenants += 1
  return `tenant ${tenants}`
}

type RemoteOptions = ConstructorParameters<typeof RemoteMemory>[0]

function remote(
  tenant: string,
  compaction: Partial<CompactionSettings> = {},
  others: Partial<RemoteOptions> = {},
): RemoteMemory {
  const configured = readSettings({})
  const settings = { ...configured, compaction: { ...configured.compaction, ...compaction } }
  const machine = new Machine({ env: process.env, resourcesDir: '' })
  const open = { settings, clock: () => STORY_BEGINS_MS, cacheDir: temporaryFolder() }
  return new RemoteMemory({
    ...{
      agent: 'test',
      summarizer: 'deterministic',
      isAutomatic: false,
    },
    conversations: new ConversationsOfTenant({
      ...{ shown: server.db.shown, tenant, objects: null },
      connect: async () => server.connect(),
    }),
    folder: temporaryFolder(),
    tokenEstimator: settings.tokenEstimator,
    now: () => STORY_BEGINS_MS,
    openCore: (path) => new Core({ path, open, machine, execute: executeHere(open), isRemembered: false }),
    ...others,
  })
}

function inPostgres(compaction: Partial<CompactionSettings>): Store {
  const memory = remote(newTenant(), compaction)
  const procedure = remoteProcedures(memory)
  return {
    ask: (name, input) => memory.call(name, input, never) as Promise<Answer>,
    integrity: async (conversationId) => {
      const result = await memory.job(conversationId, { kind: 'integrity' }, never)
      if (result.kind !== 'integrity') throw new Error('a report')
      return result.value
    },
    grep: async (conversationId, query) => {
      const { hits } = (await procedure('retrieval.grep', { query, conversationIds: [conversationId] })) as {
        hits: { id: string }[]
      }
      return hits.map(({ id }) => id)
    },
    close: () => memory.close(),
  }
}

function inFile(compaction: Partial<CompactionSettings>): Store {
  const memory = hosted(compaction)
  return {
    ask: (name, input) => memory.ask(name, input),
    integrity: async (conversationId) => {
      const { info } = await memory.core.lcm()
      const jobId = memory.core.jobs.start({
        path: info.path,
        create: false,
        spec: { kind: 'integrity', conversationId },
      })
      const result = await memory.core.jobs.result(jobId, never)
      if (result.kind !== 'integrity') throw new Error('a report')
      return result.value
    },
    grep: async (conversationId, query) => {
      const { retrieval } = await memory.core.lcm()
      const found = await retrieval.search(
        {
          query,
          mode: 'full_text',
          match: 'auto',
          scope: 'both',
          conversationIds: [conversationId],
          limit: 50,
          exactTotal: false,
        },
        never,
      )
      return found.hits.map(({ id }) => id)
    },
    close: () => memory.core.close(),
  }
}

describe.each([
  ['a file', inFile],
  ['PostgreSQL', inPostgres],
] as const)('the memory of an agent in %s', (_name, open) => {
  it('stores each message once, and gives the same window, finds the same and is sound', async () => {
    const store = open(SMALL)
    const first = await store.ask('ingest', { sessionId: 's', title: 'A story', messages: turns(12) })
    expect(first).toMatchObject({ added: 12, alreadyThere: 0 })
    expect(await store.ask('ingest', { sessionId: 's', messages: turns(20) })).toMatchObject({
      conversationId: first.conversationId,
      added: 8,
      alreadyThere: 12,
    })
    const window = await store.ask('assemble', { sessionId: 's' })
    expect(window).toMatchObject({ budget: 2_000, conversationId: first.conversationId })
    expect((window.items as unknown[]).length).toBe(20)
    const id = Number(first.conversationId)
    expect(await store.grep(id, '"writes entry 7 "')).toEqual(['msg_8'])
    expect(await store.integrity(id)).toMatchObject({ ok: true, messages: 20 })
    expect(await store.ask('status', { sessionId: 's' })).toMatchObject({ messages: 20, title: 'A story' })
    await store.close()
  })

  it('compacts, and what was compacted is the same after it was opened again', async () => {
    const store = open(SMALL)
    const { conversationId } = await store.ask('ingest', { sessionId: 's', messages: turns(40) })
    const before = await store.ask('status', { sessionId: 's' })
    const result = await store.ask('compact', { sessionId: 's', mode: 'full' })
    expect((result.created as unknown[]).length).toBeGreaterThan(0)
    expect(Number(result.tokensAfter)).toBeLessThan(Number(result.tokensBefore))
    expect(before).toMatchObject({ messages: 40 })
    const recalled = await store.ask('recall', { sessionId: 's', query: '"writes entry 3 "' })
    expect(String(recalled.text)).toContain('entry 3')
    expect(await store.integrity(Number(conversationId))).toMatchObject({ ok: true })
    expect(await store.ask('compact', { sessionId: 's', ifNeeded: true })).toBe(null)
    await store.close()
  })

  it.each([
    ['assemble', { sessionId: 'nobody' }, 'not_found'],
    ['assemble', {}, 'conversation_required'],
    ['ingest', { sessionId: 's', messages: [{ role: 'user' }] }, 'invalid_argument'],
  ] as const)('refuses %s of %j with %s', async (name, input, code) => {
    const store = open({})
    await expect(store.ask(name, input)).rejects.toMatchObject({ code })
    await store.close()
  })
})

describe('the memory of one tenant', () => {
  it('gives nothing of another tenant through any procedure or call, and changes nothing of it', async () => {
    const tenants = await fillTwoTenants(server.db)
    const before = await stateOfOther(server.db)
    const attacked = await attackAsService(remote(OWN, SMALL), tenants)
    expect(attacked.leaks).toEqual([])
    expect(attacked.answeredForOther).toEqual([])
    // Every procedure that has an input was called with one that its schema accepts, and some of them answered.
    expect(attacked.notCalled).toEqual([])
    expect(attacked.answered).toBeGreaterThan(20)
    expect(await stateOfOther(server.db)).toBe(before)
  })
})

describe('the files of a service', () => {
  it('make room for others when they were not asked for longest', async () => {
    const folder = temporaryFolder()
    const service = remote(newTenant(), {}, { mostOpen: 2, folder })
    const ask = (sessionId: string, name: HostCallName = 'status') =>
      service.call(name, { sessionId, ...(name === 'ingest' && { messages: turns(1) }) }, never)
    const files = () =>
      readdirSync(folder).flatMap((own) => readdirSync(join(folder, own)).filter((file) => file.endsWith('.db')))
    await ask('a', 'ingest')
    const [first] = files()
    await ask('b', 'ingest')
    await ask('a')
    await ask('c', 'ingest')
    await expect.poll(() => files().length).toBe(2)
    expect(files()).toContain(first)
    expect(await ask('b')).toMatchObject({ messages: 1 })
    await service.close()
    expect(readdirSync(folder)).toEqual([])
  })

  it('are removed by the next process when theirs was killed', async () => {
    const folder = temporaryFolder()
    // No process has this number.
    const left = join(folder, `service-${processKey().replace(/^\d+/, '2147483647')}-abcdef`)
    mkdirSync(left)
    writeFileSync(join(left, '7-1.db'), 'what was said')
    await remote(newTenant(), {}, { folder }).close()
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('two services on one conversation', () => {
  it('store every message once, whoever is quicker, and see what the other stored', async () => {
    const tenant = newTenant()
    const services = [remote(tenant), remote(tenant)]
    await Promise.all(
      services.map(async (service, index) => {
        for (let round = 0; round < 4; round += 1) {
          const messages = turns(3, round * 3).map((one) => ({ ...one, id: `${index} ${one.id}` }))
          await service.call('ingest', { sessionId: 'shared', messages: [...messages, ...turns(1, 100)] }, never)
        }
      }),
    )
    for (const service of services) {
      expect(await service.call('status', { sessionId: 'shared' }, never)).toMatchObject({ messages: 25 })
    }
    await Promise.all(services.map((service) => service.close()))
  })

  it('keep a compaction whole: the slower one compacts what the quicker one left', async () => {
    const tenant = newTenant()
    const services = [remote(tenant, SMALL), remote(tenant, SMALL)]
    await services[0]?.call('ingest', { sessionId: 's', messages: turns(40) }, never)
    for (const service of services) await service.call('status', { sessionId: 's' }, never)
    await Promise.all(services.map((service) => service.call('compact', { sessionId: 's', mode: 'full' }, never)))
    const third = remote(tenant, SMALL)
    const { conversationId } = (await third.call('status', { sessionId: 's' }, never)) as { conversationId: number }
    expect(await third.job(conversationId, { kind: 'integrity' }, never)).toMatchObject({
      value: { ok: true, messages: 40 },
    })
    await Promise.all([...services, third].map((service) => service.close()))
  })
})
