import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONVERSATION_SORTS } from '#core/contract/lists.ts'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { createRouter } from '#core/router.ts'
import { readSettings } from '#core/settings/settings.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import type { Client } from '#test/contract/doors.ts'

/** Times as programs with faults store them: equal, far apart, before 1970, and beyond any date. */
const strangeTime = fc.constantFrom(0, 1, 1, -5, 9_007_199_254_740_991)
/** The times of three conversations with three messages each, and the order in which the messages say that they stand. */
const strange = fc.record({
  conversations: fc.array(strangeTime, { minLength: 3, maxLength: 3 }),
  messages: fc.array(strangeTime, { minLength: 9, maxLength: 9 }),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8], { minLength: 9 }),
})
const pageSize = fc.constantFrom(1, 2, 4)

function built({
  conversations,
  messages,
  order,
}: typeof strange extends fc.Arbitrary<infer T> ? T : never): TestMemory {
  const memory = buildMemory({ conversations: [{}, {}, {}] })
  for (const id of [1, 2, 3]) memory.messages(id, ['a lamp here', 'a lamp there', 'a lamp here'])
  const damage = (sql: string, values: readonly unknown[] = []): void =>
    memory.damage(sql, values.length === 0 ? {} : { values: JSON.stringify(values) })
  damage(
    `UPDATE OR IGNORE conversations SET created_at = j.value, updated_at = j.value
     FROM json_each(:values) AS j WHERE conversation_id = j.key + 1`,
    conversations,
  )
  damage(
    'UPDATE OR IGNORE messages SET created_at = j.value FROM json_each(:values) AS j WHERE message_id = j.key + 1',
    messages,
  )
  // In two steps, since no two messages of a conversation may have one place.
  damage('UPDATE messages SET seq = seq + 1000')
  damage('UPDATE messages SET seq = j.value FROM json_each(:values) AS j WHERE message_id = j.key + 1', order)
  return memory
}

/** Reads page by page. A pager that does not end would give more pages than there are rows. */
async function paged<T>(page: (cursor?: string) => Promise<{ rows: T[]; next: string | null }>): Promise<T[]> {
  const all: T[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < 20; pages += 1) {
    const { rows, next } = await page(cursor)
    all.push(...rows)
    if (next === null) return all
    cursor = next
  }
  throw new Error('the pages do not end')
}

async function withClient(memory: TestMemory, ask: (client: Client) => Promise<void>): Promise<void> {
  const home = temporaryFolder()
  const open = { settings: readSettings({}), cacheDir: join(home, 'cache'), dataDir: join(home, 'data') }
  const machine = new Machine({ env: {}, resourcesDir: home, home, cwd: home })
  const core = new Core({ path: memory.path, open, machine, execute: executeHere(open) })
  try {
    await ask(createRouterClient(createRouter(core)) as Client)
  } finally {
    await core.close()
  }
}

describe('pages over rows with strange keys', () => {
  it('list each conversation once, in every order, and add up all of them', async () => {
    await fc.assert(
      fc.asyncProperty(strange, pageSize, fc.boolean(), async (keys, limit, reversed) => {
        using memory = built(keys)
        await withClient(memory, async (client) => {
          for (const sort of CONVERSATION_SORTS) {
            const ids = await paged(async (cursor) => {
              const answer = await client.conversations.list({ sort, reversed, limit, cursor })
              return { rows: answer.conversations.map(({ conversationId }) => conversationId), next: answer.nextCursor }
            })
            expect([sort, ids.toSorted()]).toEqual([sort, [1, 2, 3]])
          }
          expect((await client.conversations.totals()).messages).toBe(9)
        })
      }),
      { numRuns: 6 },
    )
  })

  it('give each hit once, by relevance and by time', async () => {
    await fc.assert(
      fc.asyncProperty(strange, pageSize, async (keys, limit) => {
        using memory = built(keys)
        await withClient(memory, async (client) => {
          for (const sort of ['relevance', 'newest', 'oldest'] as const) {
            const ids = await paged(async (cursor) => {
              const answer = await client.retrieval.grep({ query: 'lamp', sort, limit, cursor })
              return { rows: answer.hits.map(({ id }) => id), next: answer.nextCursor }
            })
            expect([sort, ids.toSorted()]).toEqual([sort, [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `msg_${n}`)])
          }
        })
      }),
      { numRuns: 6 },
    )
  })

  it('give each message below a summary once', async () => {
    await fc.assert(
      fc.asyncProperty(strange, fc.constantFrom(5, 12, 4000), async (keys, tokenCap) => {
        using memory = built(keys)
        const leaf = memory.leaf(1, [1, 2, 3], { id: 'sum_leaf', content: 'lamps' })
        await withClient(memory, async (client) => {
          const waiting: (string | undefined)[] = [undefined]
          const ids: string[] = []
          for (let pages = 0; waiting.length > 0; pages += 1) {
            if (pages > 20) throw new Error('the pages do not end')
            const input = { summaryId: leaf, includeMessages: true, tokenCap, cursor: waiting.shift() }
            const { messages, next } = await client.retrieval.expand(input)
            ids.push(...messages.map(({ id }) => id))
            waiting.push(...next)
          }
          expect(ids.toSorted()).toEqual(['msg_1', 'msg_2', 'msg_3'])
        })
      }),
      { numRuns: 6 },
    )
  })

  it('end in every other search, also where nothing is left to search', async () => {
    await fc.assert(
      fc.asyncProperty(strange, fc.constantFrom<number[]>([], [1], [99]), async (keys, conversationIds) => {
        using memory = built(keys)
        await withClient(memory, async (client) => {
          const answer = await client.retrieval.grep({
            query: 'lamp',
            match: 'question',
            conversationIds,
            limit: 2,
          })
          expect(answer.hits.length).toBe(conversationIds[0] === 1 ? 2 : 0)
        })
      }),
      { numRuns: 6 },
    )
  })
})
