import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { ROLES } from '#core/contract/ids.ts'
import { openNative } from '#core/sqlite/native.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { readingConversation } from '#core/systems/reading/read-conversation.ts'
import { buildMemory, STORY_BEGINS_MS } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'

it('a history has its messages in columns, in the order of seq', () => {
  using memory = buildMemory({ conversations: [{}, {}] })
  memory.messages(2, 3)
  memory.messages(1, [{ seq: 5, tokens: 7, role: 'tool' }, { seq: 2, tokens: 3 }, 'last'])
  const history = new MemoryReader(memory.db).of(1)
  expect([...history.ids]).toEqual([5, 4, 6])
  expect([...history.seqs]).toEqual([2, 5, 6])
  expect([...history.roles].map((code) => ROLES[code])).toEqual(['user', 'tool', 'user'])
  expect([...history.tokensBefore]).toEqual([0, 3, 10, 11])
  expect(history.tokensAt(1)).toBe(7)
  expect([4, 5, 6, 1, 99].map((id) => history.positionOf(id))).toEqual([1, 0, 2, -1, -1])
})

it('an unknown conversation is refused, and one without messages has an empty history', () => {
  using memory = buildMemory({ conversations: [{}] })
  const index = new MemoryReader(memory.db)
  expect(index.of(1).length).toBe(0)
  expect(() => index.of(2)).toThrowError(expect.objectContaining({ code: 'not_found' }))
})

it('a history is kept until the file changes, and then only what was added is read', () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 600)
  const index = new MemoryReader(memory.db)
  const before = index.of(1)
  expect(index.of(1)).toBe(before)
  memory.messages(1, 1400)
  const after = index.of(1)
  expect(after.length).toBe(2000)
  expect(after.totalTokens).toBe(new MemoryReader(memory.db).of(1).totalTokens)
  expect(before.length).toBe(600)
})

it('a history contains what another connection committed', () => {
  using memory = buildMemory({ conversations: [{ messages: ['one'] }] })
  using reader = openNative(memory.path)
  const index = new MemoryReader(reader)
  expect(index.of(1).length).toBe(1)
  memory.message(1, 'two')
  expect(index.of(1).length).toBe(2)
})

it('a history is read again when rows that it knew were changed', () => {
  using memory = buildMemory({ conversations: [{ messages: [{ tokens: 1 }, { tokens: 2 }, { tokens: 3 }] }] })
  const index = new MemoryReader(memory.db)
  index.of(1)
  memory.db.run('UPDATE messages SET token_count = 9 WHERE message_id = 1')
  expect(index.of(1).totalTokens).toBe(14)
  memory.damage('UPDATE messages SET seq = seq + 10 WHERE message_id = 2')
  expect([...index.of(1).seqs]).toEqual([0, 2, 11])
  memory.message(1, { seq: 1 })
  expect([...index.of(1).seqs]).toEqual([...new MemoryReader(memory.db).of(1).seqs])
})

it('a history after any number of appends equals a fresh reading', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }), (steps) => {
      using memory = buildMemory({ conversations: [{}] })
      const index = new MemoryReader(memory.db)
      for (const step of steps) {
        memory.messages(1, step)
        const kept = index.of(1)
        const fresh = new MemoryReader(memory.db).of(1)
        expect([...kept.ids]).toEqual([...fresh.ids])
        expect([...kept.tokensBefore]).toEqual([...fresh.tokensBefore])
      }
    }),
    { numRuns: runs(10) },
  )
})

it('a history corrects one wrong clock by its neighbours and leaves the others', () => {
  const minutes = [0, 1, 9_000_000, 2, 3, -9_000_000, 4]
  using memory = buildMemory({
    conversations: [{ messages: minutes.map((minute) => ({ atMs: STORY_BEGINS_MS + minute * 60_000 })) }],
  })
  const history = new MemoryReader(memory.db).of(1)
  expect([...history.clockMs].map((ms) => (ms - STORY_BEGINS_MS) / 60_000)).toEqual([0, 1, 1, 2, 3, 3, 4])
  expect(history.positionAtTime(STORY_BEGINS_MS + 60_001)).toBe(3)
})

it('a snapshot shows one state of the file to all its queries', () => {
  using memory = buildMemory({ conversations: [{ messages: ['one'] }] })
  using reader = openNative(memory.path)
  const count = (): number => reader.value<number>('SELECT count(*) FROM messages') ?? -1
  const seen = readSnapshot(reader, () => {
    const before = count()
    memory.message(1, 'two')
    return [before, count(), readSnapshot(reader, count)]
  })
  expect(seen).toEqual([1, 1, 1])
  expect(count()).toBe(2)
  expect(() => readSnapshot(reader, () => reader.all('SELECT nonsense'))).toThrow()
  memory.message(1, 'three')
  expect(count()).toBe(3)
})

it('an order lists the messages of a conversation without their columns, and follows the file', () => {
  using memory = buildMemory({ conversations: [{ messages: [{ seq: 4 }, { seq: 2 }] }, {}] })
  const index = new MemoryReader(memory.db)
  const order = () => index.order(1).idsFrom(0, 99)
  expect(order()).toEqual([2, 1])
  expect(index.known(1)).toBe(null)
  memory.message(1, { seq: 9 })
  expect(order()).toEqual([2, 1, 3])
  memory.message(1, { seq: 3 })
  expect(order()).toEqual([2, 4, 1, 3])
  memory.damage('UPDATE messages SET seq = 20 - seq')
  expect(order()).toEqual([3, 1, 4, 2])
  expect(index.of(1)).toBe(index.order(1))
  memory.message(1, { seq: 99 })
  expect(order()).toEqual([...index.of(1).ids])
  expect(index.order(2).length).toBe(0)
  expect(() => index.order(3)).toThrowError(expect.objectContaining({ code: 'not_found' }))
})

it('reads no message to know the positions of messages that are numbered without a gap', () => {
  using memory = buildMemory({ conversations: [{}, {}] })
  memory.messages(1, 20)
  const { db } = memory
  const rows = vi.spyOn(db, 'rows')
  const index = new MemoryReader(db, { hasUniqueSeqs: true })
  const agrees = (): void => {
    const [order, { ids }] = [index.order(1), new MemoryReader(db).of(1)]
    expect(order.length).toBe(ids.length)
    for (const position of [0, 1, ids.length - 1, ids.length])
      expect(order.idsFrom(position, 7)).toEqual([...ids.subarray(position, position + 7)])
    for (const id of [...ids, 0, 999]) expect(order.positionOf(id)).toBe(ids.indexOf(id))
  }
  expect(index.order(1).length).toBe(20)
  expect(index.order(2).length).toBe(0)
  expect(rows).toHaveBeenCalledTimes(1)
  agrees()
  memory.messages(1, 3)
  agrees()
  memory.damage('UPDATE messages SET seq = 100 - seq')
  agrees()
  memory.damage('DELETE FROM messages WHERE message_id = 5')
  agrees()
  memory.damage('DELETE FROM messages WHERE message_id < 5')
  agrees()
})

it('a history that was read in pieces is kept, also when the file changed between two of them', async () => {
  using memory = buildMemory({ conversations: [{}, {}] })
  memory.messages(1, 6000)
  const index = new MemoryReader(memory.db)
  const [first, again] = [index.prepare(1), index.prepare(1)]
  memory.damage('UPDATE messages SET token_count = 77 WHERE message_id IN (1, 5999)')
  memory.messages(1, 10)
  await Promise.all([first, again, index.prepare(2), index.prepare(3)])
  const fresh = new MemoryReader(memory.db).of(1)
  expect([...index.of(1).tokensBefore]).toEqual([...fresh.tokensBefore])
  expect(index.known(1)).toBe(index.of(1))
})

it('a history says whether its token sums equal those of the file', () => {
  using memory = buildMemory({ conversations: [{ messages: [{ tokens: 5 }, { tokens: 7 }] }] })
  const index = new MemoryReader(memory.db)
  expect(index.of(1).isPlain).toBe(true)
  memory.damage(`UPDATE messages SET token_count = -2 WHERE message_id = 2`)
  expect(index.of(1).isPlain).toBe(false)
})

it('a history is compared with the file in pieces when that changes, and rewritten rows are read again', async () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 5000)
  const index = new MemoryReader(memory.db)
  await index.prepare(1)
  const total = () => new MemoryReader(memory.db).of(1).totalTokens
  memory.damage('UPDATE messages SET token_count = 1000 WHERE message_id = 4000')
  await index.prepare(1)
  expect(index.known(1)?.totalTokens).toBe(total())
  memory.messages(1, 5)
  await index.prepare(1)
  expect(index.known(1)?.length).toBe(5005)
  memory.damage('DELETE FROM messages WHERE message_id = 17')
  expect(index.of(1).length).toBe(5004)
  await index.prepare(1)
  expect(index.known(1)?.totalTokens).toBe(total())
})

it('looks at a conversation to which somebody writes all the time at most twice, and then follows it', async () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 5000)
  let looks = 0
  const { db } = memory
  const written: typeof db = {
    ...db,
    get: (sql, params) => {
      if (params?.after === Number.NEGATIVE_INFINITY) looks += 1
      if (params?.upTo !== undefined) memory.message(1, 'one more')
      return db.get(sql, params)
    },
  }
  const index = new MemoryReader(written)
  await index.prepare(1)
  memory.message(1, 'the first of them')
  await index.prepare(1)
  expect(looks).toBe(2)
  memory.message(1, 'the last of them')
  await index.prepare(1)
  expect(looks).toBe(2)
  expect([...index.of(1).ids]).toEqual([...new MemoryReader(db).of(1).ids])
})

/** A thousand messages, two to a summary, and a summary over each ten of those. */
function summarised(): ReturnType<typeof buildMemory> {
  const memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 1000)
  const leaves = Array.from({ length: 500 }, (_, n) => memory.leaf(1, [2 * n + 1, 2 * n + 2], { inWindow: false }))
  for (let n = 0; n < 50; n += 1) memory.condensed(1, leaves.slice(10 * n, 10 * n + 10), { inWindow: false })
  return memory
}

it('reading summaries yields between its pieces, none of which is large', () => {
  using memory = summarised()
  const asked: number[] = []
  const { db } = memory
  const watched: typeof db = {
    ...db,
    all: (sql, params) => {
      const rows = db.all<never>(sql, params)
      if (params?.first !== undefined) asked.push(rows.length)
      return rows
    },
  }
  const index = new MemoryReader(db)
  let answers = 0
  for (const _ of readingConversation(watched, index.of(1))) {
    expect(index.order(1).length).toBe(1000)
    answers += 1
  }
  expect(answers).toBeGreaterThan(5)
  expect(Math.max(...asked)).toBeLessThanOrEqual(400)
  expect(asked.reduce((sum, rows) => sum + rows, 0)).toBe(500)
})

it('summaries that were read in pieces are kept, and never those from before a change', async () => {
  using memory = summarised()
  const index = new MemoryReader(memory.db)
  await Promise.all([index.prepareMemory(1), index.prepareMemory(1), index.prepareMemory(2)])
  const read = vi.spyOn(memory.db, 'all')
  const { summaries } = index.memory(1)
  expect(read).not.toHaveBeenCalled()
  read.mockRestore()
  expect(summaries.rows).toEqual(new MemoryReader(memory.db).memory(1).summaries.rows)

  memory.messages(1, 1)
  const underway = index.prepareMemory(1)
  memory.leaf(1, [1001], { id: 'late' })
  await underway
  memory.leaf(1, [1], { id: 'later' })
  expect(index.memory(1).summaries.nodeOf('late')).toBeGreaterThanOrEqual(0)
  expect(index.memory(1).summaries.nodeOf('later')).toBeGreaterThanOrEqual(0)
})
