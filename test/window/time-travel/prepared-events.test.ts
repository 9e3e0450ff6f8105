import { afterEach, expect, it, vi } from 'vitest'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { compactionEvents, replacementsAfter } from '#core/systems/records/events.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { slowly } from '#test/builders/reading-times.ts'
import { engineOn, runToEnd } from '#test/compaction/run-compaction.ts'
import { travelIn } from './travel.ts'

afterEach(() => vi.restoreAllMocks())

const compacted = async (memory: TestMemory): Promise<void> => {
  memory.messages(1, 12)
  const settings = { freshTailCount: 2, leafChunkTokens: 20, leafTargetTokens: 10, minMessagesToCompact: 1 }
  await runToEnd(engineOn(memory.db, { settings }), { mode: 'full' })
}

/** Logs the newest event again and again. */
const logAgain = (memory: TestMemory, times: number): void =>
  memory.damage(/* sql */ `
    WITH RECURSIVE again (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM again WHERE number < ${times})
    INSERT INTO compaction_events (run_id, conversation_id, at, pass, summary_id, ordinal, removed, level, source_tokens,
      tokens, duration_ms, attempts, newest_seq)
    SELECT run_id, conversation_id, at, pass, summary_id, ordinal, removed, level, source_tokens, tokens, duration_ms,
      attempts, newest_seq
    FROM compaction_events CROSS JOIN again
    WHERE event_id = (SELECT max(event_id) FROM compaction_events)`)

it('has the events of a timeline at hand after they were read in slices', async () => {
  slowly()
  using memory = buildMemory({ conversations: [{}] })
  await compacted(memory)
  const reader = new MemoryReader(memory.db)
  const travel = travelIn(memory.db, reader)
  reader.memory(1)
  await travel.prepare(1)
  const all = vi.spyOn(memory.db, 'all')
  expect(travel.timeline(1).events).not.toEqual([])
  expect(all.mock.calls.filter(([sql]) => sql.includes('e.source_tokens'))).toEqual([])
})

it('shows an event that was logged while the events were read in slices', async () => {
  slowly()
  using memory = buildMemory({ conversations: [{}] })
  await compacted(memory)
  const reader = new MemoryReader(memory.db)
  const travel = travelIn(memory.db, reader)
  reader.memory(1)
  const done = travel.prepare(1)
  logAgain(memory, 1)
  await done
  expect(travel.timeline(1).events.length).toBe(compactionEvents(memory.db, 1).length)
})

it('reads a log of thousands of events as a whole, the oldest first and the newest first', async () => {
  using memory = buildMemory({ conversations: [{}] })
  await compacted(memory)
  logAgain(memory, 1500)
  const ids = memory.db.column<number>('SELECT event_id FROM compaction_events ORDER BY event_id')
  expect(ids.length).toBeGreaterThan(1500)
  expect(compactionEvents(memory.db, 1).map(({ eventId }) => eventId)).toEqual(ids)
  const newest = [...replacementsAfter(memory.db, 1, 0)].flat().map(({ eventId }) => eventId)
  expect(newest).toEqual(ids.toReversed())
})
