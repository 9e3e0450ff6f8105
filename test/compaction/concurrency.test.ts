import { describe, expect, it, vi } from 'vitest'
import { LEASE_MS } from '#core/compaction/conversation-lock.ts'
import { LcmError } from '#core/errors.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import type { Summarizer } from '#core/models/summarizers/summarizer.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { findingsIn } from './findings.ts'
import { expectLossless, expectSoundGraph, expectWholePairs, windowOf } from './invariants.ts'
import { compact, engineOn, NOW_MS, runToEnd, says } from './run-compaction.ts'

const settings = { leafChunkTokens: 500, leafTargetTokens: 80, condensedTargetTokens: 100, freshTailCount: 3 }

function remembered(messages: number): TestMemory {
  const memory = buildMemory({ conversations: [{}] })
  appendTo(memory.path, messages, 'a')
  return memory
}

function appendTo(path: string, messages: number, idPrefix: string): void {
  using db = openNative(path)
  const store = new ConversationStore(db, createTokenEstimator(), () => NOW_MS)
  store.append(1, generateHistory({ seed: 1000 + Number(/\d+/.exec(idPrefix)?.[0] ?? 0), messages, idPrefix }))
}

describe('a writer on another connection', () => {
  it('can append during a run, and nothing is lost, doubled or out of order', async () => {
    using memory = remembered(150)
    let steps = 0
    await runToEnd(engineOn(memory.db, { settings }), {}, undefined, () => {
      steps += 1
      appendTo(memory.path, 7, `during-${steps}-`)
    })
    expect(steps).toBeGreaterThan(20)
    expect(memory.db.value('SELECT count(*) FROM messages')).toBe(150 + 7 * steps)
    expectLossless(memory.db, 1)
    expectSoundGraph(memory.db)
    expectWholePairs(memory.db)
    expect(await findingsIn(memory.path)).toEqual([])
  })

  it('can write while a summary is being made, because no transaction is open then', async () => {
    using memory = remembered(60)
    let calls = 0
    const slow: Summarizer = {
      name: 'slow',
      levels: ['normal'],
      model: null,
      promptVersion: () => 'p',
      summarize: async () => {
        calls += 1
        appendTo(memory.path, 2, `call-${calls}-`)
        return says(`Summary number ${calls}.`)
      },
    }
    const { result } = await compact(memory.db, { summarizer: 'slow' }, { settings, summarizers: [slow] })
    expect(result.created.length).toBe(calls)
    expectLossless(memory.db, 1)
  })
})

describe('a window that changes during a run', () => {
  /** Somebody else replaces the third message by a leaf while the first summary is being made. */
  const meddler = (memory: TestMemory, always: boolean): Summarizer => {
    let calls = 0
    return {
      name: 'meddler',
      levels: ['normal'],
      model: null,
      promptVersion: () => 'p',
      summarize: async () => {
        calls += 1
        const raw = windowOf(memory.db, 1).find((entry) => entry.messageId !== null)
        if ((calls === 1 || always) && raw?.messageId)
          memory.leaf(1, [raw.messageId], { content: `by another ${calls}`, tokens: 1 })
        return says(`Summary number ${calls}.`)
      },
    }
  }

  it('is read again, and the outdated summary is dropped', async () => {
    using memory = remembered(60)
    const { result } = await compact(
      memory.db,
      { summarizer: 'meddler', mode: 'leaf' },
      { settings, summarizers: [meddler(memory, false)] },
    )
    expect(result.stopReason).toBe('all_compacted')
    expect(memory.db.value("SELECT count(*) FROM summaries WHERE content = 'Summary number 1.'")).toBe(0)
    expect(result.created.length).toBeGreaterThan(2)
    expectLossless(memory.db, 1)
  })

  it('ends the run as a conflict when it keeps changing', async () => {
    using memory = remembered(60)
    const { result } = await compact(
      memory.db,
      { summarizer: 'meddler', mode: 'leaf' },
      { settings, summarizers: [meddler(memory, true)] },
    )
    expect(result).toMatchObject({ stopReason: 'conflict', runId: null, created: [] })
    expect(memory.db.value('SELECT count(*) FROM compaction_runs')).toBe(0)
    expectLossless(memory.db, 1)
  })
})

describe('the lock of a conversation', () => {
  it('refuses a second run with a retryable error that names the holder', async () => {
    using memory = remembered(60)
    const first = engineOn(memory.db, { settings, owner: 'the desktop app' })
    using other = openNative(memory.path)
    let refusal: unknown
    await runToEnd(first, {}, undefined, async () => {
      refusal ??= await compact(other, {}, { settings }).catch((error: unknown) => error)
    })
    expect(refusal).toBeInstanceOf(LcmError)
    expect(refusal).toMatchObject({ code: 'locked', retryable: true })
    expect(String(refusal)).toContain('the desktop app')
    expect((await compact(other, {}, { settings })).result.stopReason).toBe('nothing_eligible')
  })

  it('refuses a second run of the same process too, but not of another conversation', async () => {
    using memory = remembered(60)
    memory.conversation({ messages: Array.from({ length: 30 }, () => 'some words to be summarised '.repeat(9)) })
    const engine = engineOn(memory.db, { settings })
    const outcomes: unknown[] = []
    await runToEnd(engine, {}, undefined, async () => {
      if (outcomes.length > 0) return
      outcomes.push(await runToEnd(engine, {}).catch((error: LcmError) => error.code))
      outcomes.push((await runToEnd(engine, { conversationId: 2 })).result.stopReason)
    })
    expect(outcomes).toEqual(['locked', 'all_compacted'])
  })

  it('is taken over when its lease has expired', async () => {
    using memory = remembered(60)
    memory.db.run(
      "INSERT INTO conversation_locks VALUES (1, 'crashed', CAST(:at AS INTEGER), CAST(:at + :lease AS INTEGER))",
      { at: NOW_MS, lease: LEASE_MS },
    )
    await expect(compact(memory.db, {}, { settings })).rejects.toThrow('crashed')
    const later = NOW_MS + LEASE_MS + 1
    const { result } = await compact(memory.db, {}, { settings, clock: () => later })
    expect(result.runId).not.toBeNull()
  })

  it('stops a run when another one took it over', async () => {
    using memory = remembered(60)
    const { result } = await runToEnd(engineOn(memory.db, { settings }), {}, undefined, () => {
      memory.db.run("UPDATE conversation_locks SET owner = 'another'")
    })
    expect(result).toMatchObject({ stopReason: 'conflict' })
    expect(result.created).toHaveLength(1)
    expect(memory.db.column('SELECT owner FROM conversation_locks')).toEqual(['another'])
    expectLossless(memory.db, 1)
  })
})

describe('a run that waits for a summariser', () => {
  const patient: Summarizer = {
    name: 'patient',
    levels: ['normal'],
    model: 'm',
    promptVersion: () => 'p',
    summarize: () => new Promise(() => {}),
  }
  const lease = (memory: TestMemory): number =>
    memory.db.value<number>('SELECT lease_until FROM conversation_locks') ?? 0

  it('keeps its lock alive, and stops at once when it loses it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    using memory = remembered(60)
    let nowMs = NOW_MS
    const engine = engineOn(memory.db, { settings, clock: () => nowMs, summarizers: [patient] })
    const running = runToEnd(engine, { summarizer: 'patient' })
    expect(lease(memory)).toBe(NOW_MS + LEASE_MS)
    nowMs += LEASE_MS / 2
    await vi.advanceTimersByTimeAsync(LEASE_MS / 2)
    expect(lease(memory)).toBe(nowMs + LEASE_MS)
    memory.db.run("UPDATE conversation_locks SET owner = 'another'")
    await vi.advanceTimersByTimeAsync(LEASE_MS / 2)
    vi.useRealTimers()
    expect((await running).result).toMatchObject({ stopReason: 'conflict', created: [], runId: null })
    expect(memory.db.column('SELECT owner FROM conversation_locks')).toEqual(['another'])
  })
})

it('a compaction run leaves an empty log at its end', async () => {
  using memory = remembered(60)
  await compact(memory.db, {}, { settings })
  expect(memory.db.get('PRAGMA wal_checkpoint')).toMatchObject({ log: 0 })
  expect(memory.db.value('PRAGMA busy_timeout')).toBe(5_000)
})

it('a compaction run ends while somebody reads, and leaves the log to the next run', async () => {
  using memory = remembered(60)
  using reader = openNative(memory.path)
  const rows = reader.iterate('SELECT * FROM messages')
  rows.next()
  // A checkpoint that waited for the reader would outlast this test.
  memory.db.exec('PRAGMA busy_timeout = 600000')
  const { result } = await compact(memory.db, {}, { settings })
  expect(result.stopReason).toBe('all_compacted')
  rows.return?.(undefined)
})
