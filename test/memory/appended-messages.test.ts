import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import { AppendedMessages } from '#core/systems/reading/appended-messages.ts'
import { changeStamp } from '#core/systems/reading/change-stamp.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'
import { runs } from '../builders/property-runs.ts'
import { restsEnd, slowly } from '../builders/reading-times.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { tellStory } from '../builders/systems/story.ts'
import { writeTo } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/** As of the opened memory, with the reader that follows it. */
function statsOf({ path, db }: TestMemory, reader: MemoryReader): MemoryStats {
  const { info, close } = openMemory(path)
  close()
  return new MemoryStats(db, info, { budgetTokens: 1000, freshTailCount: 8 }, createTokenEstimator(), reader)
}

afterEach(() => vi.restoreAllMocks())

const change = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), conversation: fc.integer({ min: 1, max: 3 }), count: fc.nat(4) }),
  fc.record({ kind: fc.constant('remove' as const), message: fc.nat(12) }),
  fc.record({ kind: fc.constant('put between' as const), seq: fc.nat(400) }),
  fc.record({ kind: fc.constant('remove the last and append one' as const) }),
  fc.record({ kind: fc.constant('in place' as const), message: fc.nat(12) }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function apply(memory: TestMemory, one: Change): void {
  switch (one.kind) {
    case 'append':
      memory.messages(one.conversation, one.count)
      return
    case 'remove':
      memory.damage('DELETE FROM context_items WHERE message_id = :id', { id: one.message })
      memory.damage('DELETE FROM messages WHERE message_id = :id', { id: one.message })
      return
    case 'put between':
      memory.damage(
        `INSERT OR IGNORE INTO messages (message_id, conversation_id, seq, role, token_count, created_at, content_hash, content)
        VALUES (1000 + :seq, 1, :seq - 200, 'user', 3, 1, :hash, 'x')`,
        { seq: one.seq, hash: 'a'.repeat(64) },
      )
      return
    case 'remove the last and append one':
      // The new one gets the number of the one that went.
      memory.damage('DELETE FROM context_items WHERE message_id = (SELECT max(message_id) FROM messages)')
      memory.damage('DELETE FROM messages WHERE message_id = (SELECT max(message_id) FROM messages)')
      memory.messages(2, 1)
      return
    case 'in place':
      // Rows that another program changes in their place may be noticed late.
      memory.damage(
        'UPDATE OR IGNORE messages SET token_count = token_count + 1, conversation_id = 3 WHERE message_id = :id',
        {
          id: one.message,
        },
      )
      restsEnd()
  }
}

const orderOf = (reader: MemoryReader, conversation: number) => {
  const order = reader.order(conversation)
  const ids = order.idsFrom(0, order.length)
  return { ids, places: ids.map((id) => order.positionOf(id)) }
}

it.each([true, false])(
  'the order and the counts that follow any changes equal those that are read afresh, unique seqs: %s',
  (hasUniqueSeqs) => {
    slowly()
    fc.assert(
      fc.property(fc.array(change, { maxLength: 14 }), (changes) => {
        using memory = buildMemory({
          conversations: [{ messages: ['a', 'b'] }, { messages: ['c'] }, { messages: ['d'] }],
        })
        const { db } = memory
        const followed = new MemoryReader(db, { hasUniqueSeqs })
        const stats = statsOf(memory, followed)
        for (const one of changes) {
          apply(memory, one)
          const fresh = new MemoryReader(db, { hasUniqueSeqs })
          for (const id of [1, 2, 3]) expect(orderOf(followed, id)).toEqual(orderOf(fresh, id))
          for (const id of [1, 2, 3]) expect(stats.conversation(id)).toEqual(statsOf(memory, fresh).conversation(id))
        }
      }),
      { numRuns: runs(25) },
    )
  },
)

it('a message that is appended is added to the order and to the counts, and no other message is read or counted', () => {
  slowly()
  using memory = buildMemory({ conversations: [{ messages: ['a', 'b', 'c'] }] })
  for (const hasUniqueSeqs of [true, false]) {
    const reader = new MemoryReader(memory.db, { hasUniqueSeqs })
    const stats = statsOf(memory, reader)
    const before = reader.order(1).length
    expect(stats.conversation(1)?.messages).toBe(before)
    const asked: string[] = []
    for (const method of ['all', 'get', 'value', 'rows'] as const) {
      const ask = memory.db[method].bind(memory.db) as (sql: string, params?: object) => never
      vi.spyOn(memory.db, method).mockImplementation((sql: string, params?: object) => {
        asked.push(sql)
        return ask(sql, params)
      })
    }
    memory.message(1, 'd')
    asked.length = 0
    expect(reader.order(1).length).toBe(before + 1)
    expect(stats.conversation(1)?.messages).toBe(before + 1)
    expect(
      asked.filter(
        (sql) =>
          /FROM messages\s+WHERE conversation_id|GROUP BY conversation_id/.test(sql) &&
          !/context_items|summaries|runs/.test(sql),
      ),
    ).toEqual([])
    vi.restoreAllMocks()
    slowly()
  }
})

const appendedIn = (db: ReadDb) => {
  const appended = new AppendedMessages(db)
  return {
    now: () => readSnapshot(db, () => appended.now()),
    since: (before: ReturnType<AppendedMessages['now']>) => readSnapshot(db, () => appended.since(before)),
  }
}

it.each(WRITERS.map((writer) => ({ name: writer.name, writer })))(
  'what was appended to a file of $name is all that its views show more, or is not known',
  ({ writer }) => {
    const path = join(temporaryFolder(), 'lcm.db')
    const story = writer.tell(tellStory({ seed: 7, sessions: 2, turns: 8 }))
    writeTo(writer, path, (file) => {
      for (const session of story.sessions) {
        file.begin(session)
        for (const message of session.messages.slice(0, 2)) file.message(session, message)
      }
    })
    const { read, close } = openMemory(path, { cacheDir: temporaryFolder() })
    try {
      const shown = () => read.column<number>('SELECT message_id FROM messages ORDER BY message_id')
      const appended = appendedIn(read)
      const [before, there] = [appended.now(), shown()]
      writeTo(writer, path, (file) => {
        for (const session of story.sessions)
          for (const message of session.messages.slice(2)) file.message(session, message)
      })
      const since = appended.since(before)
      if (since !== null) expect(since.map(({ messageId }) => messageId)).toEqual(shown().slice(there.length))
    } finally {
      close()
    }
  },
)

it('what another program changes in its place is read when the rest ends, although nothing is written afterwards', () => {
  slowly()
  using memory = buildMemory({ conversations: [{ messages: ['a', 'b', 'c'] }] })
  const { read, close } = openMemory(memory.path)
  try {
    const reader = new MemoryReader(read)
    const stats = statsOf({ ...memory, db: read } as unknown as TestMemory, reader)
    const shown = () => stats.conversation(1)?.storedTokens
    const before = shown() ?? 0
    memory.db.run('UPDATE messages SET token_count = token_count + 5 WHERE message_id = 1')
    expect(shown()).toBe(before)
    const stamp = changeStamp(read)
    restsEnd()
    expect(changeStamp(read)).not.toBe(stamp)
    expect(shown()).toBe(before + 5)
    const settled = changeStamp(read)
    restsEnd()
    expect(changeStamp(read)).toBe(settled)
  } finally {
    close()
  }
})
