import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RemoteGrepInput } from '../../core/contract/remote.ts'
import { GrepInput } from '../../core/contract/retrieval.ts'
import { likePattern } from '../../core/postgres/search-rows.ts'
import { searchTenant } from '../../core/remote/search-tenant.ts'
import { sendMemory } from '../../core/remote/send.ts'
import { planQuery } from '../../core/search/plan-query.ts'
import { TestMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { finish } from './finish.ts'
import { type InProcess, inProcess } from './pglite.ts'

const never = new AbortController().signal
const TEXTS = [
  'The lease of node-7 was renewed after a retry.',
  'the LEASE OF NODE-8',
  'Kelvin: 300 \u212a, the \u017ftrange s',
  'Straße, STRASSE, ß',
  'İstanbul ve ıspanak, I and i',
  '100 % of a_b\\c',
  'nul \0 and \ud800 alone',
  'Ärger über Öl',
  'a\nb of two lines',
  '',
  '漢字かな交じり文',
  'x'.repeat(3000),
]
let server: InProcess
const stored = new Map<string, string>()

beforeAll(async () => {
  server = await inProcess()
  using memory = new TestMemory()
  for (let number = 0; number < 3; number += 1) {
    const conversation = memory.conversation({ sessionId: `s${number}` })
    const ids = memory.messages(
      conversation,
      TEXTS.map((content) => ({ content: `${content}${number === 2 ? '!' : ''}` })),
    )
    memory.leaf(conversation, ids.slice(0, 2), { id: `sum_${number}`, content: `Node leases, ${TEXTS[number]}` })
  }
  const sent = await finish(sendMemory({ from: memory.db, to: server.db, tenant: 'a' }, never))
  for (const { from, to } of sent.conversations) {
    const rows = memory.db.all<{ id: string; content: string }>(
      `SELECT 'msg_' || message_id AS id, content FROM messages WHERE conversation_id = CAST(:from AS INTEGER)
       UNION ALL SELECT summary_id, content FROM summaries WHERE conversation_id = CAST(:from AS INTEGER)`,
      { from },
    )
    for (const { id, content } of rows) stored.set(`${to} ${id}`, content)
  }
  using other = new TestMemory()
  other.messages(other.conversation({ sessionId: 's' }), [{ content: 'the lease of another tenant' }])
  await finish(sendMemory({ from: other.db, to: server.db, tenant: 'b' }, never))
})
afterAll(() => server.close())

const search = (asked: Partial<RemoteGrepInput>, tenant = 'a') =>
  searchTenant(server.db, { ...RemoteGrepInput.parse({ query: 'x', ...asked }), tenant }, never)

/** Reads every text. */
async function naive(asked: Partial<RemoteGrepInput>): Promise<string[]> {
  const plan = await planQuery(GrepInput.parse({ query: 'x', mode: 'literal', ...asked }))
  const matcher = plan?.strict.matcher
  return [...stored].flatMap(([key, content]) => (matcher?.matches([content]) ? [key] : [])).toSorted()
}

const keysOf = (hits: readonly { conversationId: number; id: string }[]): string[] =>
  hits.map(({ conversationId, id }) => `${conversationId} ${id}`).toSorted()

describe('a search in all conversations of a tenant', () => {
  // "Exact searches agree with a naive scan as in SQLite."
  it('finds what a scan of every text finds, for any part of a text in any case', async () => {
    const part = fc
      .tuple(fc.constantFrom(...TEXTS.slice(0, 9), 'Node leases'), fc.nat(40), fc.integer({ min: 1, max: 12 }))
      .map(([text, from, length]) => text.slice(from % Math.max(1, text.length)).slice(0, length))
      .filter((text) => text.trim() !== '')
    await fc.assert(
      fc.asyncProperty(
        part,
        fc.constantFrom('same', 'upper', 'lower'),
        fc.boolean(),
        async (text, form, caseSensitive) => {
          const query = form === 'upper' ? text.toUpperCase() : form === 'lower' ? text.toLowerCase() : text
          const { hits, nextCursor } = await search({ query, caseSensitive, limit: 1000 })
          expect(nextCursor).toBe(null)
          expect(keysOf(hits), query).toEqual(await naive({ query, caseSensitive }))
        },
      ),
      { numRuns: runs(60) },
    )
  })

  it.each(['lease of node-\\d', 'k|ß', '(?i)STRASSE|öl', '^a$|b of', 'x{900}', '[^ -~]', 'i', '.', 'no such text'])(
    'finds what a scan finds for the pattern %s',
    async (query) => {
      for (const caseSensitive of [true, false]) {
        const { hits } = await search({ query, mode: 'regex', caseSensitive, limit: 1000 })
        expect(keysOf(hits)).toEqual(await naive({ query, mode: 'regex', caseSensitive }))
      }
    },
  )

  it('is the same in pages of any size, and reads few texts besides the hits', async () => {
    const whole = await search({ query: 'lease', limit: 1000 })
    expect(whole.hits.length).toBeGreaterThan(6)
    expect(whole.readTexts).toBeLessThan(whole.hits.length + 5)
    for (const limit of [1, 2, 5]) {
      const seen: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await search({ query: 'lease', limit, ...(cursor && { cursor }) })
        seen.push(...page.hits.map(({ conversationId, id }) => `${conversationId} ${id}`))
        cursor = page.nextCursor
      }
      expect(seen).toEqual(whole.hits.map(({ conversationId, id }) => `${conversationId} ${id}`))
    }
    await expect(
      search({ query: 'other', cursor: (await search({ query: 'lease', limit: 1 })).nextCursor ?? '' }),
    ).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('finds nothing of another tenant, and refuses patterns that may take for ever', async () => {
    expect((await search({ query: 'another tenant' })).hits).toEqual([])
    expect((await search({ query: 'another tenant' }, 'b')).hits.length).toBe(1)
    await expect(search({ query: '(a)\\1', mode: 'regex' })).rejects.toMatchObject({ code: 'unsupported' })
  })

  it('asks the server for no letter that another one is folded to', () => {
    expect(likePattern('Kiss 100%')).toBe('% 100\\%%')
    expect(likePattern('straße')).toBe('%tra_e%')
    expect(likePattern('is k')).toBe('% %')
    expect(likePattern('ski')).toBe(null)
    expect(likePattern('a_')).toBe('%a\\_%')
  })
})
