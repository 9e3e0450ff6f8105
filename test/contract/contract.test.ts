import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDefinedError, safe } from '@orpc/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Job } from '#core/contract/job.ts'
import { doors, type OpenDoor } from './doors.ts'

const sample = join(import.meta.dirname, '../../resources/sample.db')
const folder = mkdtempSync(join(tmpdir(), 'lcm-contract-'))
let dataDir: string | undefined

beforeAll(() => {
  dataDir = process.env.LCM_DATA_DIR
  process.env.LCM_DATA_DIR = join(folder, 'data')
})
afterAll(() => {
  if (dataDir === undefined) delete process.env.LCM_DATA_DIR
  else process.env.LCM_DATA_DIR = dataDir
  rmSync(folder, { recursive: true, force: true })
})

async function waitForJob(door: OpenDoor, jobId: string): Promise<Job> {
  for (;;) {
    const job = (await door.client.jobs.list()).find((candidate) => candidate.jobId === jobId)
    if (job && job.state !== 'running') return job
    await new Promise((resume) => setTimeout(resume, 20))
  }
}

describe.each(doors)('the contract $name', (door) => {
  let open: OpenDoor | undefined
  const memory = (): string => {
    const path = join(folder, `${crypto.randomUUID()}.db`)
    copyFileSync(sample, path)
    return path
  }
  afterEach(async () => {
    await open?.close()
    open = undefined
  })

  it('answers as its schemas promise', async () => {
    open = await door.open(memory())
    const { client } = open
    const info = await client.memory.info()
    expect(info.system).toBe('native')
    const [first] = (await client.conversations.list({})).conversations
    const conversationId = first?.conversationId ?? 0
    const strata = await client.strata.get({ conversationId, axis: 'messages' })
    expect(strata.totalMessages).toBe(first?.messages)
    const page = await client.transcript.page({ conversationId, offset: 0, limit: 5 })
    expect(page.messages).toHaveLength(Math.min(5, first?.messages ?? 0))
  })

  it('answers many calls at once, each with its own answer', async () => {
    open = await door.open(memory())
    const { client } = open
    const [first] = (await client.conversations.list({})).conversations
    const conversationId = first?.conversationId ?? 0
    const offsets = Array.from({ length: 20 }, (_, i) => i)
    const pages = await Promise.all(
      offsets.map((offset) => client.transcript.page({ conversationId, offset, limit: 1 })),
    )
    expect(pages.map((page) => page.messages[0]?.position)).toEqual(offsets)
  })

  it('gives a typed error for an id that does not exist', async () => {
    open = await door.open(memory())
    const [error] = await safe(open.client.retrieval.describe({ id: 'sum_0000000000000000' }))
    expect(isDefinedError(error) && error.data).toMatchObject({ code: 'not_found', retryable: false })
  })

  it('refuses input that does not fit the schema, naming the field', async () => {
    open = await door.open(memory())
    const [error] = await safe(open.client.transcript.page({ conversationId: 1, offset: -1, limit: 5 }))
    expect(isDefinedError(error) && error.data.code).toBe('invalid_argument')
    expect(isDefinedError(error) && error.data.message).toContain('offset')
  })

  it('says in an answer why a file cannot be opened', async () => {
    const path = join(folder, 'not-a-memory.db')
    writeFileSync(path, 'this is no database at all, only some words in a file')
    open = await door.open(path)
    const [error] = await safe(open.client.memory.info())
    expect(isDefinedError(error) && error.data.code).toBe('not_a_database')
  })

  it('serves a welcome window without a file', async () => {
    open = await door.open(null)
    const [error] = await safe(open.client.memory.info())
    expect(isDefinedError(error) && error.data.code).toBe('no_memory_open')
    const { path } = await open.client.machine.sample()
    expect(existsSync(path)).toBe(true)
  })

  it('runs a job, announces it, and keeps its result', async () => {
    open = await door.open(memory())
    const { client } = open
    const seen: string[] = []
    const stop = new AbortController()
    const events = await client.events(undefined, { signal: stop.signal })
    const listening = (async () => {
      try {
        for await (const event of events) if (event.kind === 'job') seen.push(event.job.state)
      } catch {
        // An aborted stream ends with an error; what came before it is what counts.
      }
    })()
    const { jobId } = await client.jobs.start({ kind: 'integrity' })
    const job = await waitForJob(open, jobId)
    expect(job.state).toBe('done')
    expect((await client.integrity.last())?.ok).toBe(true)
    await expect.poll(() => seen).toContain('done')
    stop.abort()
    await listening
  })

  it('streams a search, reports its errors typed, and stops it when the client leaves', async () => {
    open = await door.open(memory())
    const { client } = open
    const request = { query: '[a-z]', mode: 'regex', limit: 30 } as const
    const page = await client.retrieval.grep({ ...request, exactTotal: true })
    const ids: string[] = []
    let total = 0
    for await (const step of await client.retrieval.grepStream(request)) {
      ids.push(...step.hits.map(({ id }) => id))
      if (step.result) total = step.result.total
    }
    expect(ids).toEqual(page.hits.map(({ id }) => id))
    expect(total).toBe(page.total)

    const refused = async (): Promise<unknown> => {
      for await (const _ of await client.retrieval.grepStream({ query: '[a', mode: 'regex' }));
      return null
    }
    const [error] = await safe(refused())
    expect(error).toMatchObject({ data: { code: 'invalid_argument' } })

    for await (const _ of await client.retrieval.grepStream(request)) break
    expect((await client.memory.info()).system).toBe('native')
  })

  it('compacts in the background and announces that the database changed', async () => {
    open = await door.open(memory())
    const { client } = open
    const rows = (await client.conversations.list({})).conversations
    // The largest one takes five seconds of processor time.
    const [, second] = rows.toSorted((a, b) => (b.contextTokens ?? 0) - (a.contextTokens ?? 0))
    const conversationId = second?.conversationId ?? 0
    const stop = new AbortController()
    const events = await client.events(undefined, { signal: stop.signal })
    const changed = (async () => {
      for await (const event of events) if (event.kind === 'database_changed') return true
      return false
    })()
    await client.memory.info()
    const settings = { freshTailCount: 2, leafChunkTokens: 500, minMessagesToCompact: 2 }
    const { jobId } = await client.jobs.start({ kind: 'compact', conversationId, settings })
    const job = await waitForJob(open, jobId)
    expect(job.error).toBeNull()
    expect(job.result?.kind === 'compact' && job.result.value.created.length).toBeGreaterThan(0)
    expect(await changed).toBe(true)
    stop.abort()
  })
})
