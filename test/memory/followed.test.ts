import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'
import { runs } from '../builders/property-runs.ts'
import { quickly, restsEnd, slowly } from '../builders/reading-times.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { tellStory } from '../builders/systems/story.ts'
import { writeTo } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { seen } from './seen.ts'

// "`read` from nothing equals any chain of reads."

afterEach(() => vi.restoreAllMocks())

const change = fc.oneof(
  fc.record({ kind: fc.constant('messages' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('leaf' as const), first: fc.nat(20), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('condensed' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('tokens' as const), message: fc.nat(20) }),
  fc.record({ kind: fc.constant('unlist' as const), ordinal: fc.nat(5) }),
  fc.record({ kind: fc.constant('unlist one and append one' as const), ordinal: fc.nat(5) }),
  fc.record({ kind: fc.constant('unlist the last and append one' as const) }),
  fc.record({ kind: fc.constant('list between' as const), ordinal: fc.nat(5), message: fc.nat(20) }),
  fc.record({ kind: fc.constant('renumber in place' as const) }),
  fc.record({ kind: fc.constant('remove' as const), summary: fc.nat(9) }),
  fc.record({ kind: fc.constant('missing' as const), message: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constant('elsewhere' as const) }),
  fc.record({ kind: fc.constant('in place' as const), ordinal: fc.nat(3) }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function apply(memory: TestMemory, one: Change, step: number): void {
  const messages = memory.db.column<number>('SELECT message_id FROM messages WHERE conversation_id = 1 ORDER BY seq')
  const summaries = memory.db.column<string>('SELECT summary_id FROM summaries ORDER BY summary_rowid')
  switch (one.kind) {
    case 'messages':
      memory.messages(1, one.count)
      return
    case 'leaf': {
      const first = one.first % messages.length
      memory.leaf(1, messages.slice(first, first + one.count), { id: `sum_${step}` })
      return
    }
    case 'condensed':
      if (summaries.length > 0) memory.condensed(1, summaries.slice(-one.count), { id: `sum_${step}` })
      return
    case 'tokens':
      memory.db.run('UPDATE messages SET token_count = 7 WHERE message_id = :id', { id: one.message })
      return
    case 'unlist':
      memory.db.run('DELETE FROM context_items WHERE ordinal = :ordinal', { ordinal: one.ordinal })
      return
    case 'unlist one and append one':
      memory.db.run('DELETE FROM context_items WHERE ordinal = :ordinal', { ordinal: one.ordinal })
      memory.messages(1, 1)
      return
    case 'unlist the last and append one':
      memory.db.run('DELETE FROM context_items WHERE ordinal = (SELECT max(ordinal) FROM context_items)')
      memory.messages(1, 1)
      return
    case 'list between':
      memory.damage(
        `INSERT OR IGNORE INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
        VALUES (1, :ordinal, 'message', :message, 1)`,
        { ordinal: one.ordinal, message: one.message },
      )
      return
    case 'renumber in place':
      // Rows that another program changes in their place may be noticed late.
      memory.damage('UPDATE OR IGNORE context_items SET ordinal = 1000 - ordinal WHERE conversation_id = 1')
      restsEnd()
      return
    case 'remove': {
      const id = summaries[one.summary % Math.max(1, summaries.length)] ?? ''
      memory.damage('DELETE FROM summaries WHERE summary_id = :id', { id })
      return
    }
    case 'missing': {
      const [id] = summaries
      const sql = 'INSERT OR IGNORE INTO summary_messages VALUES (:id, :message, 99)'
      if (id !== undefined) memory.damage(sql, { id, message: messages.length + one.message })
      return
    }
    case 'elsewhere':
      memory.messages(2, 1)
      return
    case 'in place':
      // Rows that another program changes in their place may be noticed late.
      memory.db.run('UPDATE summary_messages SET ordinal = 7 - ordinal WHERE ordinal = :ordinal', {
        ordinal: one.ordinal,
      })
      memory.db.run('UPDATE summaries SET token_count = token_count + 1 WHERE depth = 0')
      restsEnd()
  }
}

it.each(['quickly', 'slowly'])(
  'a conversation that is followed through any changes equals one that is read afresh, %s',
  (pace) => {
    if (pace === 'slowly') slowly()
    else quickly()
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        using memory = buildMemory({ conversations: [{ messages: ['first'] }, {}] })
        const followed = new MemoryReader(memory.db)
        for (const [step, one] of changes.entries()) {
          apply(memory, one, step)
          expect(seen(followed.memory(1))).toEqual(seen(new MemoryReader(memory.db).memory(1)))
        }
      }),
      { numRuns: runs(60) },
    )
  },
)

it('messages that are appended leave summaries, links and what was worked out from them as they are', () => {
  slowly()
  using memory = buildMemory({ conversations: [{ messages: ['a', 'b', 'c'] }] })
  const leaf = memory.leaf(1, [1, 2])
  memory.condensed(1, [leaf])
  const reader = new MemoryReader(memory.db)
  const before = reader.memory(1)
  const reached = before.coverage.reach(1)
  const read = vi.spyOn(memory.db, 'all')
  memory.message(1, 'd')
  const after = reader.memory(1)
  expect([after.messages.length, after.window.length]).toEqual([4, 3])
  expect([after.summaries, after.links, after.order]).toEqual([before.summaries, before.links, before.order])
  expect(after.links).toBe(before.links)
  expect(after.coverage.reach(1)).toBe(reached)
  expect(read.mock.calls.filter(([sql]) => /summary_messages|FROM summaries/.test(sql))).toEqual([])
})

it('a window to which entries were appended is followed by reading those alone', () => {
  slowly()
  using memory = buildMemory({ conversations: [{ messages: ['a', 'b', 'c'] }] })
  const reader = new MemoryReader(memory.db)
  const before = reader.memory(1)
  const read = vi.spyOn(memory.db, 'rows')
  memory.messages(1, 2)
  const after = reader.memory(1)
  const pages = read.mock.calls.filter(([sql]) => /group_concat\(ordinal\)/.test(sql)).map(([, params]) => params)
  expect(pages).toEqual([expect.objectContaining({ ordinal: before.window.ordinals[2] })])
  expect(seen(after)).toEqual(seen(new MemoryReader(memory.db).memory(1)))
})

it('an entry of a window that led nowhere leads to its message when that is appended', () => {
  slowly()
  using memory = buildMemory({ conversations: [{ messages: ['a', 'b'] }] })
  memory.damage(
    `INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
    SELECT 1, 50, 'message', max(message_id) + 1, 1 FROM messages`,
  )
  const reader = new MemoryReader(memory.db)
  expect(reader.memory(1).window.targets[2]).toBe(-1)
  memory.damage(
    `INSERT INTO messages (message_id, conversation_id, seq, role, token_count, created_at, content_hash, content)
    SELECT max(message_id) + 1, 1, max(seq) + 1, 'user', 3, 1, :hash, 'x' FROM messages`,
    { hash: 'a'.repeat(64) },
  )
  expect(reader.memory(1).window.targets[2]).toBe(2)
})

it('summaries and links that are read again and are the same keep what was worked out from them', () => {
  quickly()
  using memory = buildMemory({ conversations: [{ messages: ['a', 'b', 'c'] }] })
  memory.condensed(1, [memory.leaf(1, [1, 2])])
  const reader = new MemoryReader(memory.db)
  const before = reader.memory(1)
  const read = vi.spyOn(memory.db, 'all')
  memory.message(1, 'd')
  const after = reader.memory(1)
  expect(read.mock.calls.some(([sql]) => /summary_messages/.test(sql))).toBe(true)
  expect(after.messages.length).toBe(4)
  expect(after.summaries).toBe(before.summaries)
  expect(after.links).toBe(before.links)
  memory.db.run('UPDATE summaries SET token_count = token_count + 1 WHERE depth = 1')
  expect(reader.memory(1).summaries).not.toBe(before.summaries)
})

it('what is written while a conversation is prepared does not make the next answer read its summaries again', async () => {
  slowly()
  using memory = buildMemory({ conversations: [{ messages: ['a', 'b', 'c'] }] })
  memory.condensed(1, [memory.leaf(1, [1, 2])])
  const reader = new MemoryReader(memory.db)
  for (const said of ['d', 'e']) {
    // All that was read of summaries before is too old to be relied on.
    restsEnd()
    const preparing = reader.prepareMemory(1)
    memory.message(1, said)
    await preparing
    const read = vi.spyOn(memory.db, 'all')
    const now = reader.memory(1)
    expect(read.mock.calls.filter(([sql]) => /summary_messages|FROM summaries/.test(sql))).toEqual([])
    read.mockRestore()
    expect(seen(now)).toEqual(seen(new MemoryReader(memory.db).memory(1)))
  }
})

/** Enough that all of them are looked at again only now and then. */
const MANY = 20_000

it('notices what is appended to many messages or removed from them at once, and what changes in its place a moment later', () => {
  slowly()
  using memory = buildMemory({ conversations: [{ messages: ['first'] }] })
  memory.damage(
    `WITH RECURSIVE counted (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counted WHERE n < ${MANY})
    INSERT INTO messages (message_id, conversation_id, seq, role, token_count, created_at, content_hash, content)
    SELECT n + 1, 1, n, 'user', 3, n, :hash, 'x' FROM counted`,
    { hash: 'a'.repeat(64) },
  )
  const reader = new MemoryReader(memory.db)
  const fresh = () => new MemoryReader(memory.db).of(1)
  expect(reader.of(1)).toEqual(fresh())
  memory.messages(1, 2)
  expect(reader.of(1)).toEqual(fresh())
  memory.damage('UPDATE messages SET token_count = 8 WHERE message_id = 5')
  memory.messages(1, 2)
  expect(reader.of(1).length).toBe(fresh().length)
  memory.damage('DELETE FROM messages WHERE message_id = 7')
  expect(reader.of(1)).toEqual(fresh())
  memory.damage('UPDATE messages SET token_count = 9 WHERE message_id = 5')
  restsEnd()
  expect(reader.of(1)).toEqual(fresh())
})

const conversationsOf = (db: ReadDb): number[] =>
  db.column<number>('SELECT conversation_id FROM conversations ORDER BY conversation_id')

it.each(WRITERS.map((writer) => ({ name: writer.name, writer })))(
  'conversations of $name that are followed while their agent works equal those that are read afresh',
  ({ writer }) => {
    const path = join(temporaryFolder(), 'lcm.db')
    const story = writer.tell(tellStory({ seed: 7, sessions: 2, turns: 12 }))
    writeTo(writer, path, (file) => {
      for (const session of story.sessions) {
        file.begin(session)
        for (const message of session.messages.slice(0, 2)) file.message(session, message)
      }
    })
    const { read, close } = openMemory(path, { cacheDir: temporaryFolder() })
    slowly()
    try {
      const followed = new MemoryReader(read)
      const check = (): void => {
        const fresh = new MemoryReader(read)
        for (const id of conversationsOf(read)) expect(seen(followed.memory(id))).toEqual(seen(fresh.memory(id)))
      }
      check()
      for (const session of story.sessions) {
        writeTo(writer, path, (file) => {
          for (const message of session.messages.slice(2, 9)) file.message(session, message)
        })
        check()
        writeTo(writer, path, (file) => {
          for (const message of session.messages.slice(9)) file.message(session, message)
        })
        check()
        writeTo(writer, path, (file) => {
          for (const summary of session.summaries) file.summary(session, summary)
          file.window(session)
        })
        check()
      }
    } finally {
      close()
    }
  },
)
