import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import { takeJob } from '#core/remote/postgres/job-rows.ts'
import { sendMemory } from '#core/remote/send.ts'
import { type WorkerOptions, workOnce } from '#core/remote/worker.ts'
import { runToEnd } from '#core/yielding.ts'
import { TestMemory } from '../builders/memory.ts'
import { type InProcess, inProcess } from './pglite.ts'

const never = new AbortController().signal
const MINUTE = 60_000
let server: InProcess
let tenants = 0
beforeAll(async () => {
  server = await inProcess()
})
afterAll(() => server.close())

/** A tenant with conversations of 2, 4, 6 … messages of 100 tokens. */
async function tenantWith(conversations: number): Promise<{ tenant: string; ids: number[] }> {
  tenants += 1
  const tenant = `tenant ${tenants}`
  using memory = new TestMemory()
  for (let number = 1; number <= conversations; number += 1) {
    const id = memory.conversation({ sessionId: `s${number}` })
    memory.messages(
      id,
      Array.from({ length: number * 2 }, () => ({ tokens: 100 })),
    )
  }
  const sent = await runToEnd(sendMemory({ from: memory.db, to: server.db, tenant }, never))
  return { tenant, ids: sent.conversations.map(({ to }) => to) }
}

/** Puts a summary in the place of the first messages of a window. */
async function compactFirst(messages: number, path: string, conversationId: number): Promise<number> {
  const memory = new TestMemory(path)
  const ids = memory.db.all<{ id: number }>(
    'SELECT message_id AS id FROM context_items WHERE message_id IS NOT NULL ORDER BY ordinal LIMIT :messages',
    { messages },
  )
  memory.leaf(
    conversationId,
    ids.map(({ id }) => id),
    { tokens: 10 },
  )
  memory.db.close()
  return 1
}

const compactTwo: WorkerOptions['compact'] = (path, id) => compactFirst(2, path, id)

function worker(tenant: string, name: string, rest: Partial<WorkerOptions> = {}): WorkerOptions {
  return {
    ...{ db: server.connect(), worker: name, tenant, minWindowTokens: 500, now: () => 0 },
    compact: compactTwo,
    every: () => () => undefined,
    ...rest,
  }
}

const workAll = async (options: WorkerOptions) => {
  const outcomes: string[] = []
  for (;;) {
    const done = await workOnce(options, never)
    if (done === null) return outcomes
    outcomes.push(`${done.conversationId} ${done.outcome}`)
  }
}

describe('workers', () => {
  it('compact every window that is due, until none is', async () => {
    const { tenant, ids } = await tenantWith(4)
    const done = await workAll(worker(tenant, 'a'))
    // 600 and 800 tokens are due; after one summary of 200 tokens 410 and 610 are left, then 420.
    expect(done.toSorted()).toEqual([`${ids[2]} compacted`, `${ids[3]} compacted`, `${ids[3]} compacted`])
    const [left] = await server.db.read(null, (query) =>
      query<{ most: number }>(
        'SELECT max(window_tokens)::int AS most FROM lcm.conversation_totals WHERE tenant_id = $1',
        [tenant],
      ),
    )
    expect(left?.most).toBeLessThan(500)
  })

  it('share the work: each job is done by one of them', async () => {
    const { tenant, ids } = await tenantWith(8)
    const compacted: number[] = []
    const compact: WorkerOptions['compact'] = async (path, id) => {
      compacted.push(id)
      const memory = new TestMemory(path)
      const messages = memory.db.all<{ id: number }>('SELECT message_id AS id FROM messages')
      memory.leaf(
        id,
        messages.map((one) => one.id),
        { tokens: 10 },
      )
      memory.db.close()
      return 1
    }
    await Promise.all(['a', 'b', 'c'].map((name) => workAll(worker(tenant, name, { compact }))))
    expect(compacted.toSorted((a, b) => a - b)).toEqual(ids.slice(2))
  })

  it('leave a job for later when somebody else changed the same window, and lose nothing', async () => {
    const { tenant, ids } = await tenantWith(3)
    let isFirst = true
    const compact: WorkerOptions['compact'] = async (path, id, signal) => {
      if (isFirst) {
        isFirst = false
        // Another program compacts the same window while this one is under way.
        const other = worker(tenant, 'other', { now: () => 2 * MINUTE, compact: (at, one) => compactFirst(3, at, one) })
        expect(await workOnce(other, signal)).toMatchObject({ outcome: 'compacted' })
      }
      return compactFirst(2, path, id)
    }
    expect(await workOnce(worker(tenant, 'slow', { compact }), never)).toMatchObject({
      conversationId: ids[2],
      outcome: 'conflict',
    })
    const [count] = await server.db.read(tenant, (query) =>
      query<{ n: number }>('SELECT count(*)::int AS n FROM lcm.summaries WHERE tenant_id = $1', [tenant]),
    )
    expect(count?.n).toBe(1)
  })

  it('take over a job whose worker is gone, when its time is over and not before', async () => {
    const { tenant, ids } = await tenantWith(3)
    const gone = worker(tenant, 'gone', {
      compact: () => {
        throw new Error('killed')
      },
    })
    await expect(workOnce(gone, never)).rejects.toThrow('killed')
    expect(await workOnce(worker(tenant, 'next', { now: () => MINUTE - 1 }), never)).toBe(null)
    expect(await workOnce(worker(tenant, 'next', { now: () => MINUTE }), never)).toMatchObject({
      conversationId: ids[2],
      outcome: 'compacted',
    })
  })

  it('try a job again after a failure, later each time, and look at a window that stays full only now and then', async () => {
    const { tenant } = await tenantWith(3)
    let nowMs = 0
    const failing = worker(tenant, 'a', {
      now: () => nowMs,
      compact: async () => {
        throw new LcmError('model_failed', 'The model is away.')
      },
    })
    expect(await workOnce(failing, never)).toMatchObject({ outcome: 'failed', error: 'The model is away.' })
    nowMs += 3_999
    expect(await workOnce(failing, never)).toBe(null)
    nowMs += 1
    expect(await workOnce(failing, never)).toMatchObject({ outcome: 'failed' })
    nowMs += 8_000
    const idle = worker(tenant, 'a', { now: () => nowMs, compact: async () => 0 })
    expect(await workOnce(idle, never)).toMatchObject({ outcome: 'nothing_to_do' })
    nowMs += 10 * MINUTE
    expect(await workOnce(idle, never)).toBe(null)
  })

  it('open no transaction while a model is asked', async () => {
    const { tenant } = await tenantWith(3)
    const db = server.connect()
    let open = 0
    const counted = {
      ...db,
      write: async <T>(...given: Parameters<typeof db.write<T>>): Promise<T> => {
        open += 1
        return db.write(...given).finally(() => {
          open -= 1
        })
      },
      read: async <T>(...given: Parameters<typeof db.read<T>>): Promise<T> => {
        open += 1
        return db.read(...given).finally(() => {
          open -= 1
        })
      },
    }
    const during: number[] = []
    const compact: WorkerOptions['compact'] = async (path, id) => {
      during.push(open)
      return compactFirst(2, path, id)
    }
    await workOnce(worker(tenant, 'a', { db: counted, compact }), never)
    expect(during).toEqual([0])
  })

  it('take jobs of their own tenants alone', async () => {
    const { tenant } = await tenantWith(3)
    const taken = await server.db.write(null, (query) =>
      takeJob(query, 'a', { nowMs: 0, leaseMs: MINUTE, tenant: `not ${tenant}` }),
    )
    expect(taken).toBe(null)
  })
})
