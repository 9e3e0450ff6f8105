import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConversationLock } from '#core/compaction/conversation-lock.ts'
import { CompactionUndoer } from '#core/compaction/undo-compaction.ts'
import { LcmError } from '#core/errors.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { KeptWindow } from '#core/window/kept-window.ts'
import { buildMemory, type MessageSpec, type TestMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { history, settings } from './arbitrary.ts'
import { findingsIn } from './findings.ts'
import { canonicalRows, expectLossless, expectSoundGraph, windowOf } from './invariants.ts'
import { compact, NOW_MS } from './run-compaction.ts'

const remember = (messages: readonly MessageSpec[]): TestMemory => buildMemory({ conversations: [{ messages }] })

const undoerOn = (db: WriteDb): CompactionUndoer =>
  new CompactionUndoer({
    db,
    windows: new KeptWindow(db, createTokenEstimator()),
    clock: () => NOW_MS,
    owner: 'test',
    requireWrite: () => db,
  })

const LEAVES = { leafChunkTokens: 120, leafTargetTokens: 30, freshTailCount: 4, minMessagesToCompact: 1 }
const long = (count: number, what = 'Message'): MessageSpec[] =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `${what} ${index} says that the lease of worker ${index * 7} ends after ${index * 11} seconds in any case.`,
    tokens: 25,
  }))
const talked = (count: number): TestMemory => remember(long(count))
const summaryIds = (db: WriteDb): string[] => db.column<string>('SELECT summary_id FROM summaries ORDER BY summary_id')

/** Every row that a compaction writes, apart from its record and the marks on messages, which are never deleted. */
const derivedRows = (db: WriteDb): string =>
  JSON.stringify(
    ['context_items', 'summaries', 'summary_messages', 'summary_sources'].map((table) =>
      db.all(`SELECT * FROM ${table}`),
    ),
  )

describe('taking a compaction back', () => {
  // "messages untouched; what is removed is summaries made by that run"
  it('gives every row of summaries, links and windows that was there before the run', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        settings,
        fc.constantFrom('leaf' as const, 'full' as const),
        async (messages, chosen, mode) => {
          using memory = remember(messages)
          await compact(memory.db, { mode: 'leaf' }, { settings: { ...chosen, freshTailCount: 6 } })
          const before = [derivedRows(memory.db), canonicalRows(memory.db)]
          const { result } = await compact(memory.db, { mode }, { settings: chosen })
          if (result.runId === null) return
          const undoer = undoerOn(memory.db)
          const planned = undoer.plan({ conversationId: 1 })
          const done = undoer.undo({ conversationId: 1 })
          expect(planned).toMatchObject({ runId: result.runId, refusal: null, summaries: done.summaries })
          expect(done).toMatchObject({ tokensBefore: result.tokensAfter, tokensAfter: result.tokensBefore })
          expect([derivedRows(memory.db), canonicalRows(memory.db)]).toEqual(before)
        },
      ),
      { numRuns: runs(40) },
    )
  })

  it('keeps every message that came since in the window, after what is put back', async () => {
    await fc.assert(
      fc.asyncProperty(history, history, settings, async (messages, later, chosen) => {
        using memory = remember(messages)
        const was = windowOf(memory.db, 1).map(({ messageId }) => messageId)
        const { result } = await compact(memory.db, {}, { settings: chosen })
        if (result.runId === null) return
        const added = memory.messages(1, later)
        const done = undoerOn(memory.db).undo({ conversationId: 1 })
        expect(done.keptMessages).toBe(added.length)
        expect(windowOf(memory.db, 1).map(({ messageId }) => messageId)).toEqual([...was, ...added])
        expectLossless(memory.db, 1)
      }),
      { numRuns: runs(30) },
    )
  })

  it('takes an earlier run back when a later one stands beside it', async () => {
    using memory = talked(60)
    const first = await compact(memory.db, { mode: 'leaf' }, { settings: LEAVES })
    memory.messages(1, long(40, 'Later message'))
    const second = await compact(memory.db, { mode: 'leaf' }, { settings: LEAVES })
    undoerOn(memory.db).undo({ conversationId: 1, runId: String(first.result.runId) })
    expect(summaryIds(memory.db)).toEqual(second.result.created.map(({ id }) => id).sort())
    expectLossless(memory.db, 1)
    expectSoundGraph(memory.db)
    expect(await findingsIn(memory.path)).toEqual([])
  })

  it('records what was taken back, with the texts, and lets the same be compacted again', async () => {
    using memory = talked(60)
    const first = await compact(memory.db, {}, { settings: LEAVES })
    undoerOn(memory.db).undo({ conversationId: 1 })
    expect(memory.db.value('SELECT stop_reason FROM compaction_runs')).toBe('undone')
    const [event] = memory.db.all<{ kind: string; detail: string }>('SELECT kind, detail FROM surgery_events')
    expect(event?.kind).toBe('undo')
    const detail = JSON.parse(event?.detail ?? '{}')
    expect(detail).toMatchObject({ run: first.result.runId })
    expect(detail.replaced).toHaveLength(first.result.created.length)
    const second = await compact(memory.db, {}, { settings: LEAVES })
    expect(second.result.created.map(({ id }) => id)).toEqual(first.result.created.map(({ id }) => id))
    expect(undoerOn(memory.db).undo({ conversationId: 1 }).runId).toBe(second.result.runId)
    expect(await findingsIn(memory.path)).toEqual([])
  })

  it('leaves a search index that holds other words than its table in order', async () => {
    using memory = talked(60)
    await compact(memory.db, {}, { settings: LEAVES })
    memory.db.exec("INSERT INTO summaries_fts (summaries_fts) VALUES ('delete-all')")
    undoerOn(memory.db).undo({ conversationId: 1 })
    expect(await findingsIn(memory.path)).toEqual([])
  })
})

describe('a run that something was built upon', () => {
  const refusalOf = (memory: TestMemory, runId?: string | null): LcmError => {
    const input = { conversationId: 1, ...(typeof runId === 'string' ? { runId } : {}) }
    const before = derivedRows(memory.db)
    const planned = undoerOn(memory.db).plan(input)
    try {
      undoerOn(memory.db).undo(input)
    } catch (error) {
      if (!(error instanceof LcmError)) throw error
      expect(planned).toMatchObject({ refusal: error.message, summaries: [] })
      expect(derivedRows(memory.db)).toBe(before)
      return error
    }
    throw new Error('it was taken back')
  }

  it('is refused while a later run stands upon its summaries, and names that run', async () => {
    using memory = talked(60)
    const leaves = await compact(memory.db, { mode: 'leaf' }, { settings: LEAVES })
    const above = await compact(memory.db, { mode: 'condense' }, { settings: LEAVES })
    expect(above.result.created.length).toBeGreaterThan(0)
    const error = refusalOf(memory, leaves.result.runId)
    expect(error).toMatchObject({ code: 'conflict' })
    expect(error.message).toContain(`take run ${above.result.runId} back first`)
    undoerOn(memory.db).undo({ conversationId: 1 })
    undoerOn(memory.db).undo({ conversationId: 1 })
    expect(summaryIds(memory.db)).toEqual([])
  })

  it('is refused when it was taken back already, when there is none, and when an agent made it', async () => {
    using memory = talked(60)
    expect(refusalOf(memory)).toMatchObject({ code: 'not_found' })
    expect(refusalOf(memory, 'run_none')).toMatchObject({ code: 'not_found' })
    const { result } = await compact(memory.db, {}, { settings: LEAVES })
    undoerOn(memory.db).undo({ conversationId: 1 })
    expect(refusalOf(memory, result.runId)).toMatchObject({ code: 'conflict' })
    const again = await compact(memory.db, {}, { settings: LEAVES })
    memory.db.run("UPDATE compaction_runs SET owner = 'import' WHERE run_id = :id", { id: again.result.runId })
    expect(refusalOf(memory)).toMatchObject({ code: 'unsupported' })
  })

  it('is refused when the window was changed in a way that cannot be joined', async () => {
    using memory = talked(60)
    const { result } = await compact(memory.db, { mode: 'leaf' }, { settings: LEAVES })
    const [first] = result.created
    const put = memory.db.value<number>('SELECT min(message_id) FROM summary_messages WHERE summary_id = :id', {
      id: first?.id ?? '',
    })
    memory.db.run(
      `INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
       VALUES (1, 9999, 'message', CAST(:put AS INTEGER), 0)`,
      { put: put ?? 0 },
    )
    expect(refusalOf(memory)).toMatchObject({ code: 'conflict' })
  })

  it('is refused while another process compacts the conversation', async () => {
    using memory = talked(60)
    await compact(memory.db, {}, { settings: LEAVES })
    const lock = ConversationLock.acquire(memory.db, 1, 'somebody', NOW_MS)
    const before = derivedRows(memory.db)
    expect(() => undoerOn(memory.db).undo({ conversationId: 1 })).toThrow(expect.objectContaining({ code: 'locked' }))
    expect(derivedRows(memory.db)).toBe(before)
    lock.release()
  })
})
