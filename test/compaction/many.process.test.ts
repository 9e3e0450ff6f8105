import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { Random } from '../builders/random.ts'
import { Child } from './children/child.ts'
import { findingsIn } from './findings.ts'
import { expectLossless, expectSoundGraph, expectWholePairs } from './invariants.ts'
import { compact } from './run-compaction.ts'

/**
 * A killed process leaves locks and runs behind for the next one to take over. The writer tells the same story at the
 * same times again and again, which looks like history stored twice.
 */
const EXPECTED = ['stale_lock', 'abandoned_run', 'duplicate_message']
const settings = { leafChunkTokens: 500, leafTargetTokens: 80, freshTailCount: 3, minMessagesToCompact: 1 }

const children: Child[] = []
function start(...given: ConstructorParameters<typeof Child>): Child {
  const child = new Child(...given)
  children.push(child)
  return child
}
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()))
})

function remembered(messages: number): TestMemory {
  const memory = buildMemory({ conversations: [{}] })
  const store = new ConversationStore(memory.db, createTokenEstimator(), Date.now)
  store.append(1, generateHistory({ seed: 7, messages }))
  return memory
}

function expectSound(memory: TestMemory): void {
  for (const id of memory.db.column<number>('SELECT conversation_id FROM conversations')) expectLossless(memory.db, id)
  expectSoundGraph(memory.db)
  // As the next process sees it. FTS5's own check on a connection that was there before looks for segments that another
  // process has merged away since; searching there is right.
  using db = openNative(memory.path)
  expect(db.value('PRAGMA integrity_check')).toBe('ok')
  expect(db.all('PRAGMA foreign_key_check')).toEqual([])
}

describe('several processes on one file', () => {
  it('append and compact at once without a loss, and no write is refused because another one takes long', async () => {
    using memory = remembered(300)
    const writer = start('append', memory.path, 'writer')
    const compactors = [start('compact', memory.path, 'first'), start('compact', memory.path, 'second')]
    await Promise.all(compactors.map((child) => child.until(({ stopped }) => stopped !== undefined)))
    await Promise.all(compactors.map((child) => child.until(({ refused }) => refused !== undefined)))
    await wait(500)
    await Promise.all([writer, ...compactors].map((child) => child.kill()))
    const refusals = compactors.flatMap(({ said }) => said.flatMap(({ refused }) => refused ?? []))
    expect(refusals[0]).toMatch(/being compacted by (first|second), run_/)
    const stored = memory.db.value<number>('SELECT count(*) FROM messages') ?? 0
    const known = writer.said.reduce((sum, { added }) => sum + (added ?? 0), 300)
    // What was stored as it was killed had no time to be said.
    expect([known, known + 12]).toContain(stored)
    expect([writer, ...compactors].map(({ errors }) => errors)).toEqual(['', '', ''])
    expectSound(memory)
    expectWholePairs(memory.db)
    expect((await findingsIn(memory.path)).filter((id) => !EXPECTED.includes(id))).toEqual([])
  })

  it('take over the lock of one that was killed at once', async () => {
    using memory = remembered(2_000)
    const holder = start('compact', memory.path, 'holder')
    await holder.until(({ created }) => created !== undefined)
    await holder.kill()
    expect(memory.db.value('SELECT owner FROM conversation_locks')).toContain('holder')
    const { result } = await compact(memory.db, {}, { settings, clock: () => Date.now() })
    expect(result.runId).not.toBeNull()
    expectSound(memory)
  })
})

describe('a process that is killed', () => {
  it('leaves a compaction either as it was or taken back as a whole', async () => {
    using memory = remembered(60)
    const random = new Random(5)
    for (let round = 0; round < runs(3); round += 1) {
      const child = start('undo', memory.path, `undo-${round}`)
      await child.until(({ undone }) => undone !== undefined)
      await wait(random.int(1, 120))
      await child.kill()
      expect(child.errors).toBe('')
      openNative(memory.path).close()
      expectSound(memory)
      const inWindow = memory.db.value<number>('SELECT count(*) FROM summaries')
      const ofRuns = memory.db.value<number>(
        `SELECT count(*) FROM compaction_events AS e JOIN compaction_runs AS r ON r.run_id = e.run_id
         WHERE r.stop_reason IS NOT 'undone'`,
      )
      expect(inWindow).toBe(ofRuns)
      memory.db.run('UPDATE conversation_locks SET lease_until = 0')
    }
  })

  it('leaves a sound file and loses nothing while compacting, appending or importing', async () => {
    using memory = remembered(60)
    const random = new Random(11)
    let said = 60
    // On a busy machine a process may be killed before it made anything: one has made something for sure.
    const first = start('compact', memory.path, 'first')
    await first.until(({ created }) => created !== undefined)
    await first.kill()
    memory.db.run('UPDATE conversation_locks SET lease_until = 0')
    for (let round = 0; round < runs(4); round += 1) {
      const group = (['compact', 'append', 'import'] as const).map((work) =>
        start(work, memory.path, `${work}-${round}`),
      )
      await Promise.all(group.map((child) => child.until(({ ready }) => ready === true)))
      await Promise.all(
        group.map(async (child) => {
          await wait(random.int(1, 200))
          await child.kill()
        }),
      )
      expect(group.map(({ errors }) => errors)).toEqual(['', '', ''])
      said += group.flatMap((child) => child.said).reduce((sum, { added }) => sum + (added ?? 0), 0)
      // A new connection, as the next process would have it.
      openNative(memory.path).close()
      expectSound(memory)
      expect(memory.db.value<number>('SELECT count(*) FROM messages')).toBeGreaterThanOrEqual(said)
      // The next one need not wait for the lease of the one before.
      memory.db.run('UPDATE conversation_locks SET lease_until = 0')
    }
    expect(memory.db.value<number>('SELECT count(*) FROM summaries')).toBeGreaterThan(0)
    expectWholePairs(memory.db)
    expect((await findingsIn(memory.path)).filter((id) => !EXPECTED.includes(id))).toEqual([])
  })
})
