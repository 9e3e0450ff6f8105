import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConversationLock, LEASE_MS } from '#core/compaction/conversation-lock.ts'
import { openNative } from '#core/sqlite/native.ts'
import { processMark, processState } from '#core/sqlite/process-mark.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { apply, fired, plan, scan } from '../doctor/repair/doctor.ts'
import { compact, engineOn, NOW_MS, runToEnd } from './run-compaction.ts'
import { remember, small, talk } from './talk.ts'

/** Returns the window and every summary that it covers. Ids follow from sources and texts. */
const standing = (db: WriteDb): unknown[] => [
  db.column('SELECT coalesce(summary_id, message_id) FROM context_items ORDER BY ordinal'),
  db.column('SELECT summary_id FROM summaries ORDER BY summary_id'),
]

/** The file as a process leaves it that is killed now. */
function killedCopy(path: string): string {
  const copy = join(temporaryFolder(), 'killed.db')
  copyFileSync(path, copy)
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`)
  return copy
}

describe('a run after one that was killed', () => {
  it.each(['full', 'leaf', 'untilUnder'] as const)(
    'ends where an uninterrupted run ends, wherever the first was cut off (%s)',
    async (mode) => {
      const memory = remember(talk(75))
      const request = { mode, ...(mode === 'untilUnder' ? { targetTokens: 900 } : {}) }
      const killed: string[] = []
      const { result } = await runToEnd(engineOn(memory.db, { settings: small }), request, undefined, () => {
        killed.push(killedCopy(memory.path))
      })
      expect(result.created.length).toBeGreaterThan(10)
      const whole = standing(memory.db)
      for (const path of killed) {
        using db = openNative(path)
        await compact(db, request, { settings: small, clock: () => NOW_MS + 2 * LEASE_MS })
        expect(standing(db)).toEqual(whole)
      }
    },
  )

  it('can be killed itself, and the next one ends where an uninterrupted run ends', async () => {
    const memory = remember(talk(75))
    let path = ''
    let steps = 0
    await runToEnd(engineOn(memory.db, { settings: small }), { mode: 'full' }, undefined, () => {
      steps += 1
      if (steps === 3) path = killedCopy(memory.path)
    })
    const whole = standing(memory.db)
    for (let run = 1; run <= 4; run += 1) {
      const db = openNative(path)
      let next = ''
      const engine = engineOn(db, { settings: small, clock: () => NOW_MS + run * 2 * LEASE_MS })
      const { result } = await runToEnd(engine, { mode: 'full' }, undefined, () => {
        next ||= killedCopy(path)
      })
      expect(result.created.length).toBeGreaterThan(0)
      expect(standing(db)).toEqual(whole)
      db.close()
      path = next
    }
  })

  it('does nothing about a few new messages when the run before was complete', async () => {
    const memory = remember(talk(40))
    await compact(memory.db, { mode: 'full' }, { settings: small })
    for (let index = 0; index < 5; index += 1) memory.message(1, 'word '.repeat(100))
    const { result } = await compact(memory.db, { mode: 'full' }, { settings: small })
    expect(result).toMatchObject({ created: [], skipped: expect.stringContaining('At least 10 are needed') })
  })

  it('records the end of the killed run, so that scans find nothing afterwards', async () => {
    const memory = remember(talk(75))
    let path = ''
    await runToEnd(engineOn(memory.db, { settings: small }), { mode: 'full' }, undefined, () => {
      path ||= killedCopy(memory.path)
    })
    openNative(path).close()
    expect(fired(await scan(path))).toEqual(expect.arrayContaining(['stale_lock']))
    const db = openNative(path)
    await compact(db, { mode: 'full' }, { settings: small, clock: () => NOW_MS + 2 * LEASE_MS })
    expect(db.column('SELECT stop_reason FROM compaction_runs ORDER BY started_at')).toEqual([
      'abandoned',
      'all_compacted',
    ])
    db.close()
    expect(fired(await scan(path))).toEqual([])
  })
})

describe('the lock of a conversation', () => {
  const locked = (owner: string, leaseUntilMs: number): { path: string; db: WriteDb } => {
    const { path, db } = remember(talk(4))
    db.run('INSERT INTO conversation_locks VALUES (1, :owner, :until, :until)', { owner, until: leaseUntilMs })
    return { path, db }
  }
  const take = (db: WriteDb, nowMs: number): ConversationLock => ConversationLock.acquire(db, 1, 'me', nowMs)
  const ended = (): string => processMark().replace(String(process.pid), String(spawnSync('true').pid))

  it('is taken over at once from a process of this computer that has ended', () => {
    const { db } = locked(`other ${ended()}`, NOW_MS + LEASE_MS)
    expect(() => take(db, NOW_MS)).not.toThrow()
  })

  it('is taken over at once when another process has the number of the one that ended', () => {
    const reused = processMark().replace(/-[0-9a-f]{8}\)$/, '-12345678)')
    expect(processState(reused)).toBe('ended')
    expect(() => take(locked(`other ${reused}`, NOW_MS + LEASE_MS).db, NOW_MS)).not.toThrow()
  })

  it.each([
    ['a process that runs', () => `other ${processMark()}`],
    ['a process of another computer', () => `other (process 1 on ${hostname()}, 00000000-00000000)`],
    ['an owner of an older version', () => 'lcm-inspector pid 1, run_1'],
  ])('is respected while it is held by %s', (_who, owner) => {
    const { db } = locked(owner(), NOW_MS + LEASE_MS)
    expect(() => take(db, NOW_MS)).toThrow(expect.objectContaining({ code: 'locked' }))
    expect(() => take(db, NOW_MS + LEASE_MS)).not.toThrow()
  })

  it('expires like any other and is reported when the clock of its owner was ten years ahead', async () => {
    const ahead = Date.now() + 10 * 365 * 86_400_000
    const { path, db } = locked('somebody elsewhere', ahead)
    expect(fired(await scan(path))).toEqual(['stale_lock'])
    expect(() => take(db, NOW_MS)).toThrow(expect.objectContaining({ code: 'locked' }))
    expect(() => take(db, NOW_MS + LEASE_MS + 1)).not.toThrow()
  })

  it('can be dropped by a repair when the clock of its owner was ten years ahead', async () => {
    const { path } = locked('somebody elsewhere', Date.now() + 10 * 365 * 86_400_000)
    const { steps } = await plan(path)
    const { rolledBack } = await apply(
      path,
      steps.map(({ id }) => id),
    )
    expect(rolledBack).toBeNull()
    expect(fired(await scan(path))).toEqual([])
  })
})
