import fc from 'fast-check'
import { expect, it } from 'vitest'
import { expandSummary } from '#core/browse/expand.ts'
import { ExpandInput, Expansion } from '#core/contract/retrieval.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { randomLineage, reachedFrom, summaryId, writeLineage } from '#test/browse/history/random-lineage.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'

const expand = (memory: TestMemory, input: Parameters<typeof ExpandInput.parse>[0]): Expansion =>
  Expansion.parse(expandSummary(memory.db, new MemoryReader(memory.db), ExpandInput.parse(input)))

/** All pages, and what they hold together. */
function expandAll(
  memory: TestMemory,
  input: { summaryId: string; depth: number; includeMessages: boolean; tokenCap: number },
) {
  const pages: Expansion[] = []
  for (let cursor: string | undefined; ; ) {
    const page = expand(memory, { ...input, cursor })
    pages.push(page)
    expect(page.truncated).toBe(page.next.length + page.tooLarge.length > 0)
    cursor = page.next[0]
    if (cursor === undefined) break
    expect(page.nodes.length + page.messages.length + page.tooLarge.length).toBeGreaterThan(0)
  }
  return {
    pages,
    nodes: pages.flatMap((page) => page.nodes),
    messages: pages.flatMap((page) => page.messages),
    tooLarge: pages.flatMap((page) => page.tooLarge),
  }
}

it('no page exceeds the cap by one token, and all pages together contain everything once, in order', () => {
  fc.assert(
    fc.property(randomLineage, fc.integer({ min: 1, max: 40 }), fc.nat(6), (lineage, tokenCap, place) => {
      using memory = writeLineage(lineage)
      const count = lineage.leaves.length + lineage.condensed
      if (place >= count) return
      const found = expandAll(memory, { summaryId: summaryId(place), depth: 100, includeMessages: true, tokenCap })
      for (const page of found.pages) {
        expect(page.tokens).toBeLessThanOrEqual(tokenCap)
        expect([...page.nodes, ...page.messages].reduce((sum, item) => sum + item.tokens, 0)).toBe(page.tokens)
      }
      const everything = [...found.nodes, ...found.messages].map((item) => item.id).concat(found.tooLarge)
      const below = new Set<number>()
      const walk = (from: number): void => {
        for (const [a, b] of lineage.edges) {
          if (a !== from || b >= count || below.has(b)) continue
          below.add(b)
          walk(b)
        }
      }
      walk(place)
      below.delete(place)
      const messages = [...reachedFrom(lineage, place)].map((message) => `msg_${message + 1}`)
      expect(everything.sort()).toEqual([...[...below].map(summaryId), ...messages].sort())
      expect(found.messages.map((message) => message.seq)).toEqual(
        found.messages.map((message) => message.seq).sort((a, b) => a - b),
      )
      for (const message of found.messages) {
        const stored = memory.db.value('SELECT content FROM messages WHERE seq = :seq', { seq: message.seq })
        expect(message.content).toBe(stored)
      }
    }),
    { numRuns: runs(40) },
  )
})

it('expands level by level, with messages as the level below their leaf', () => {
  using memory = buildMemory({ conversations: [{}] })
  const ids = memory.messages(1, 4)
  const leaves = [memory.leaf(1, ids.slice(0, 2), { content: 'a' }), memory.leaf(1, ids.slice(2), { content: 'b' })]
  const middle = memory.condensed(1, leaves, { content: 'c' })
  const top = memory.condensed(1, [middle], { content: 'd' })
  const at = (depth: number, includeMessages: boolean) => {
    const { nodes, messages, truncated } = expand(memory, { summaryId: top, depth, includeMessages })
    expect(truncated).toBe(false)
    return [...nodes.map((node) => node.id), ...messages.map((message) => message.id)]
  }
  expect(at(1, true)).toEqual([middle])
  expect(at(2, true)).toEqual([middle, ...leaves])
  expect(at(3, false)).toEqual([middle, ...leaves])
  expect(at(3, true)).toEqual([middle, ...leaves, 'msg_1', 'msg_2', 'msg_3', 'msg_4'])
  const [leaf] = leaves
  expect(expand(memory, { summaryId: leaf, includeMessages: true }).messages.length).toBe(2)
})

it('names what is larger than the whole cap and continues without it', () => {
  using memory = buildMemory({ conversations: [{ messages: [{ tokens: 5 }, { tokens: 500 }, { tokens: 5 }] }] })
  const leaf = memory.leaf(1, [1, 2, 3])
  const page = expand(memory, { summaryId: leaf, includeMessages: true, tokenCap: 10 })
  expect(page).toMatchObject({ tokens: 10, truncated: true, next: [], tooLarge: ['msg_2'] })
  expect(page.messages.map((message) => message.id)).toEqual(['msg_1', 'msg_3'])
})

it('counts the tokens of a text whose stored count is zero', () => {
  using memory = buildMemory({
    conversations: [
      {
        messages: [
          { tokens: 0, content: 'x'.repeat(400) },
          { tokens: 0, content: '' },
        ],
      },
    ],
  })
  const leaf = memory.leaf(1, [1, 2])
  expect(expand(memory, { summaryId: leaf, includeMessages: true, tokenCap: 99 }).tooLarge).toEqual(['msg_1'])
  expect(expand(memory, { summaryId: leaf, includeMessages: true, tokenCap: 100 }).tokens).toBe(100)
})

it('refuses forged, foreign and outdated cursors', () => {
  using memory = buildMemory({ conversations: [{}] })
  const ids = memory.messages(
    1,
    Array.from({ length: 6 }, () => ({ tokens: 5 })),
  )
  const leaf = memory.leaf(1, ids.slice(0, 5))
  const ask = { summaryId: leaf, includeMessages: true, tokenCap: 10 }
  const [cursor = ''] = expand(memory, ask).next
  expect(expand(memory, { ...ask, cursor }).messages.map((message) => message.id)).toEqual(['msg_3', 'msg_4'])
  const refused = expect.objectContaining({ code: 'invalid_argument' })
  const forged = Buffer.from(JSON.stringify({ expand: leaf, depth: 1, messages: true, at: 4, last: 'msg_4' }))
  for (const bad of ['', 'x', `${cursor}0`, cursor.slice(1), `${forged.toString('base64url')}.000000000000`]) {
    expect(() => expand(memory, { ...ask, cursor: bad })).toThrowError(refused)
  }
  expect(() => expand(memory, { ...ask, depth: 2, cursor })).toThrowError(refused)
  memory.damage('DELETE FROM summary_messages WHERE message_id = 1')
  expect(() => expand(memory, { ...ask, cursor })).toThrowError(refused)
  expect(() => expand(memory, { summaryId: 'msg_1' })).toThrowError(refused)
  expect(() => expand(memory, { summaryId: 'sum_x' })).toThrowError(expect.objectContaining({ code: 'not_found' }))
})

it('returns messages of another conversation when a damaged file links them', () => {
  using memory = buildMemory({ conversations: [{ messages: ['a', 'b'] }, { messages: ['c'] }] })
  const leaf = memory.leaf(1, [3, 2])
  const { messages } = expand(memory, { summaryId: leaf, includeMessages: true })
  expect(messages.map((message) => message.content)).toEqual(['b', 'c'])
})

it('pages stay within the cap even when the stored token counts are too low', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ chars: fc.nat(200), tokens: fc.nat(20) }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 60 }),
      (specs, tokenCap) => {
        using memory = buildMemory({ conversations: [{}] })
        const ids = memory.messages(
          1,
          specs.map(({ chars, tokens }) => ({ content: 'x'.repeat(chars), tokens })),
        )
        const leaf = memory.leaf(1, ids)
        const countOf = (text: string): number => Math.ceil(text.length / 4)
        const seen: string[] = []
        for (let cursor: string | undefined; ; ) {
          const input = ExpandInput.parse({ summaryId: leaf, includeMessages: true, tokenCap, cursor })
          const page = expandSummary(memory.db, new MemoryReader(memory.db), input, { countOf })
          expect(page.messages.reduce((sum, { content }) => sum + countOf(content), 0)).toBeLessThanOrEqual(tokenCap)
          expect(page.tokens).toBeLessThanOrEqual(tokenCap)
          seen.push(...page.messages.map(({ id }) => id), ...page.tooLarge)
          cursor = page.next[0]
          if (cursor === undefined) break
        }
        expect(seen.sort()).toEqual(ids.map((id) => `msg_${id}`).sort())
      },
    ),
    { numRuns: runs(40) },
  )
})
