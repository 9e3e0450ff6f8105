import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ContextAt } from '#core/contract/time-travel.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { compact } from '#test/compaction/run-compaction.ts'
import { travelIn } from './travel.ts'

const MINUTE_MS = 60_000
const idsAt = (memory: TestMemory, moment: Parameters<ReturnType<typeof travelIn>['entriesAt']>[1]): string[] =>
  travelIn(memory.db)
    .contextAt({ conversationId: 1, moment })
    .items.map((item) => item.id)

/** Six messages, a leaf of the first two in minute 3, one of the next two in minute 5, and a node over both. */
function story(): { memory: TestMemory; leaves: readonly string[]; top: string } {
  const memory = buildMemory({ conversations: [{ messages: Array.from({ length: 6 }, () => ({})) }] })
  const made = (minute: number) => ({ atMs: STORY_BEGINS_MS + minute * MINUTE_MS, content: `made in minute ${minute}` })
  const first = memory.leaf(1, [1, 2], made(2.5))
  const second = memory.leaf(1, [3, 4], made(4.5))
  const top = memory.condensed(1, [first, second], made(4.6))
  return { memory, leaves: [first, second], top }
}

it('a past window follows creation times when nothing was logged', () => {
  const { memory, leaves, top } = story()
  const [first = '', second = ''] = leaves
  expect(idsAt(memory, { messageId: 'msg_3' })).toEqual(['msg_1', 'msg_2', 'msg_3'])
  expect(idsAt(memory, { messageId: 'msg_4' })).toEqual([first, 'msg_3', 'msg_4'])
  expect(idsAt(memory, { eventId: 2 })).toEqual([first, second, 'msg_5'])
  expect(idsAt(memory, { messageId: 'msg_6' })).toEqual([top, 'msg_5', 'msg_6'])
  expect(idsAt(memory, { now: true })).toEqual([top, 'msg_5', 'msg_6'])
  expect(travelIn(memory.db).contextAt({ conversationId: 1, moment: { messageId: 'msg_4' } }).reconstructed).toBe(true)
  memory.close()
})

it('a past window has no summary before the messages that it covers, whatever its clock said', () => {
  using memory = buildMemory({ conversations: [{ messages: [{}, {}, {}] }] })
  memory.leaf(1, [1, 2, 3], { atMs: STORY_BEGINS_MS - MINUTE_MS })
  expect(idsAt(memory, { messageId: 'msg_2' })).toEqual(['msg_1', 'msg_2'])
})

it('a past window has the summaries from before the log, and is exact once the log has begun', async () => {
  const { memory, top } = story()
  memory.messages(1, 12)
  const { result } = await compact(
    memory.db,
    { mode: 'leaf' },
    { settings: { freshTailCount: 2, minMessagesToCompact: 1, leafChunkTokens: 30, leafTargetTokens: 10 } },
  )
  const leaf = result.created[0]?.id ?? ''
  const after = travelIn(memory.db).contextAt({ conversationId: 1, moment: { runId: result.runId ?? '' } })
  expect(after.items.slice(0, 2).map((item) => item.id)).toEqual([top, leaf])
  expect(after.reconstructed).toBe(false)
  const before = travelIn(memory.db).contextAt({ conversationId: 1, moment: { messageId: 'msg_3' } })
  expect(before.items.map((item) => item.id)).toEqual(['msg_1', 'msg_2', 'msg_3'])
  expect(before.reconstructed).toBe(true)
  memory.close()
})

it('a past window follows creation times when the log does not lead to the present window', async () => {
  using memory = buildMemory({ conversations: [{ messages: Array.from({ length: 12 }, () => ({ tokens: 60 })) }] })
  await compact(memory.db, { mode: 'leaf' }, { settings: { freshTailCount: 2, minMessagesToCompact: 1 } })
  memory.window(1, [11, 12])
  const context = travelIn(memory.db).contextAt({ conversationId: 1, moment: { messageId: 'msg_3' } })
  expect(context.items.map((item) => item.id)).toEqual(['msg_1', 'msg_2', 'msg_3'])
  expect(context.reconstructed).toBe(true)
})

it('a past window has no summary on a cycle, and loses none of their messages', () => {
  const { memory, leaves, top } = story()
  memory.damage('INSERT INTO summary_sources (summary_id, source_summary_id, ordinal) VALUES (:leaf, :top, 0)', {
    leaf: leaves[0] ?? '',
    top,
  })
  expect(idsAt(memory, { eventId: 3 })).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5'])
  memory.close()
})

it('a past window exists for every damaged log and graph', async () => {
  using memory = buildMemory({ conversations: [{ messages: Array.from({ length: 20 }, () => ({ tokens: 60 })) }] })
  const settings = { freshTailCount: 2, minMessagesToCompact: 1, leafChunkTokens: 200, leafTargetTokens: 20 }
  await compact(memory.db, {}, { settings: { ...settings, condensedTargetTokens: 20, condensedMinFanout: 2 } })
  const eventIds = memory.db.column<number>('SELECT event_id FROM compaction_events')
  const damages = [
    `UPDATE compaction_events SET removed = 'no json' WHERE event_id % 2 = 1`,
    `UPDATE compaction_events SET removed = '{"a": 1}'`,
    `UPDATE compaction_events SET removed = '[[0, "message", "msg_x", 1], null, 7]'`,
    `UPDATE compaction_events SET removed = '[[0,"message","msg_1",1],[0,"message","msg_1",1]]'`,
    `UPDATE compaction_events SET newest_seq = -5, at = -1`,
    `UPDATE compaction_events SET summary_id = 'sum_gone'`,
    `UPDATE compaction_events SET newest_seq = 9000000000000`,
    'DELETE FROM context_items',
    'DELETE FROM summaries',
    'DELETE FROM summary_messages',
    'UPDATE OR IGNORE summary_sources SET source_summary_id = summary_id',
    'DELETE FROM messages WHERE message_id % 3 = 0',
  ]
  const moments = [
    ...eventIds.map((eventId) => ({ eventId })),
    { messageId: 'msg_1' },
    { messageId: 'msg_20' },
    { atMs: STORY_BEGINS_MS },
    { atMs: Number.MAX_SAFE_INTEGER },
    { now: true } as const,
  ]
  memory.db.exec('PRAGMA ignore_check_constraints = ON')
  await fc.assert(
    fc.asyncProperty(fc.subarray(damages, { minLength: 1 }), async (chosen) => {
      memory.db.exec('SAVEPOINT intact')
      try {
        // Deferred foreign keys are checked at a commit, and there is none.
        memory.db.exec('PRAGMA defer_foreign_keys = ON; DROP TRIGGER messages_undeletable')
        for (const sql of chosen) memory.db.run(sql)
        const travel = travelIn(memory.db)
        for (const moment of moments) {
          try {
            ContextAt.parse(travel.contextAt({ conversationId: 1, moment }))
          } catch (error) {
            expect(error).toMatchObject({ code: 'not_found' })
          }
        }
        travel.timeline(1)
      } finally {
        memory.db.exec('ROLLBACK TO intact; RELEASE intact')
      }
    }),
    { numRuns: runs(40) },
  )
})
