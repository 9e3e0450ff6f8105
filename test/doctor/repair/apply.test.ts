import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RepairResult } from '#core/contract/repair.ts'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { openNative } from '#core/sqlite/native.ts'
import { openHere } from '#test/builders/ledgers.ts'
import type { TestMemory } from '#test/builders/memory.ts'
import { NOW_MS } from '#test/compaction/run-compaction.ts'
import { copyOf, FIXTURES } from '#test/sqlite/fixtures.ts'
import { compactedMemory } from './compacted.ts'
import { apply, canonical, fired, isIndexSound, plan, runIn, runOn, scan } from './doctor.ts'

let memory: TestMemory
beforeEach(async () => {
  memory = await compactedMemory({ seed: 3 })
})
afterEach(() => memory.close())

const damageDepth = (): void =>
  memory.damage("UPDATE summaries SET depth = 5 WHERE kind = 'condensed' AND conversation_id = 1")
const loseMessage = (): number => {
  const id = memory.db.value<number>('SELECT min(message_id) FROM context_items') ?? 0
  memory.damage('DELETE FROM context_items WHERE message_id = :id', { id })
  return id
}
const backups = (): string[] => readdirSync(dirname(memory.path)).filter((name) => name.includes('.backup-'))

describe('a repair plan', () => {
  it('has no step for a sound file, and nothing is written', async () => {
    const { steps, findings } = await plan(memory.path)
    expect(steps).toEqual([])
    expect(findings).toEqual({})
    expect(backups()).toEqual([])
  })

  it('shows every row of a step before and after', async () => {
    damageDepth()
    const { steps } = await plan(memory.path)
    const [step] = steps
    expect(steps).toHaveLength(1)
    expect(step).toMatchObject({ id: 'depth_mismatch:1', fixes: ['depth_mismatch'], risk: 'safe', conversationId: 1 })
    expect(step?.rows).toBe(step?.changes.length)
    for (const change of step?.changes ?? []) {
      expect(change).toMatchObject({ table: 'summaries', before: { depth: 5 } })
      expect(Object.keys(change.after ?? {})).toEqual(['depth'])
    }
    expect(step?.sql[0]).toMatch(
      /^UPDATE summaries SET depth = \d+ WHERE summary_id = 'sum_[0-9a-f]+' AND depth IS 5;$/,
    )
  })

  it('is the same when it is made again', async () => {
    damageDepth()
    loseMessage()
    expect((await plan(memory.path)).planId).toBe((await plan(memory.path)).planId)
  })

  it('contains only steps of the requested conversation', async () => {
    damageDepth()
    memory.damage("UPDATE summaries SET depth = 6 WHERE kind = 'leaf' AND conversation_id = 2")
    const { steps } = await runOn(memory.path, { kind: 'repair_plan', conversationId: 2 })
    expect(steps.map((step) => step.id)).toEqual(['depth_mismatch:2'])
  })

  it('names what cannot be repaired and what stays lost', async () => {
    memory.damage("UPDATE messages SET content = 'forged' WHERE message_id = 3")
    const { steps } = await plan(memory.path)
    const step = steps.find(({ id }) => id === 'content_hash')
    expect(step).toMatchObject({ risk: 'manual', rows: 0, nodes: ['msg_3'] })
    expect(step?.cannotRestore).toMatch(/not in the file/)
    await expect(apply(memory.path, ['content_hash'])).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})

describe('the application of selected steps', () => {
  it('leaves other steps undone', async () => {
    damageDepth()
    loseMessage()
    const result = await apply(memory.path, ['coverage_gap:1'])
    expect(result.applied.map((step) => step.id)).toEqual(['coverage_gap:1'])
    expect(result.left.map((step) => step.id)).toEqual(['depth_mismatch:1'])
    expect(fired(await scan(memory.path))).toEqual(['depth_mismatch'])
  })

  it('includes the steps on which a selected one depends', async () => {
    memory.damage("INSERT INTO context_items VALUES (1, 900000, 'message', 987654321, NULL, 0)")
    loseMessage()
    const { steps } = await plan(memory.path)
    expect(steps.find(({ id }) => id === 'coverage_gap:1')?.dependsOn).toEqual(['dangling_item:1'])
    const { applied } = await apply(memory.path, ['coverage_gap:1'])
    expect(applied).toMatchObject([
      { id: 'dangling_item:1', chosen: false },
      { id: 'coverage_gap:1', chosen: true },
    ])
    expect(fired(await scan(memory.path))).toEqual([])
  })

  it('makes a backup of the unchanged file first', async () => {
    damageDepth()
    const before = canonical(memory.db)
    const { backup } = await apply(memory.path, ['depth_mismatch:1'])
    expect(dirname(backup?.path ?? '')).toBe(dirname(memory.path))
    const kept = await openLcm(backup?.path ?? '', { readOnly: true, settings: readSettings({}) })
    expect(canonical(kept.read)).toBe(before)
    expect(kept.read.value('SELECT count(*) FROM summaries WHERE depth = 5')).toBeGreaterThan(0)
    kept.close()
    expect(readdirSync(dirname(memory.path)).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('is recorded', async () => {
    loseMessage()
    await apply(memory.path, ['coverage_gap:1'])
    using lcm = await openLcm(memory.path, { settings: readSettings({}) })
    expect((await lcm.doctor()).surgery.events(1)).toMatchObject([{ kind: 'repair', conversationId: 1 }])
  })

  it('is refused for a step that is not in the plan any more', async () => {
    await expect(apply(memory.path, ['coverage_gap:1'])).rejects.toMatchObject({ code: 'plan_stale' })
    expect(backups()).toEqual([])
  })

  it('is refused for a step that would change other rows than shown', async () => {
    loseMessage()
    const shown = (await plan(memory.path)).steps.map(({ id, fingerprint }) => ({ id, fingerprint }))
    loseMessage()
    const job = runOn(memory.path, { kind: 'repair', steps: shown, summarizer: 'deterministic' })
    await expect(job).rejects.toMatchObject({ code: 'plan_stale', details: { step: 'coverage_gap:1' } })
  })

  it('is refused while somebody works on the conversation', async () => {
    damageDepth()
    memory.db.run("INSERT INTO conversation_locks VALUES (1, 'somebody', 0, :until)", { until: Date.now() + 60_000 })
    const before = memory.db.all('SELECT * FROM summaries')
    await expect(apply(memory.path, ['depth_mismatch:1'])).rejects.toMatchObject({ code: 'locked', retryable: true })
    expect(memory.db.all('SELECT * FROM summaries')).toEqual(before)
  })

  it('keeps messages that arrive meanwhile', async () => {
    loseMessage()
    let added = 0
    const result = await runOn(
      memory.path,
      { kind: 'repair', steps: [{ id: 'coverage_gap:1' }], summarizer: 'deterministic' },
      () => {
        added += 1
        if (added < 12) memory.message(1, { content: `While it was repaired, ${added}.` })
      },
    )
    expect(result.rolledBack).toBeNull()
    expect(fired(await scan(memory.path))).toEqual([])
    expect(memory.db.value("SELECT count(*) FROM messages WHERE content LIKE 'While it was%'")).toBe(
      Math.min(added, 11),
    )
  })

  it('changes nothing when it is cancelled before it writes', async () => {
    damageDepth()
    const before = memory.db.all('SELECT * FROM summaries')
    const job = runOn(
      memory.path,
      { kind: 'repair', steps: [{ id: 'depth_mismatch:1' }], summarizer: 'deterministic' },
      (progress, abort) => {
        if (progress.note === 'backup') abort.abort()
      },
    )
    await expect(job).rejects.toMatchObject({ code: 'cancelled' })
    expect(memory.db.all('SELECT * FROM summaries')).toEqual(before)
    expect(readdirSync(dirname(memory.path)).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('writes texts and rebuilds a lost search index at once', async () => {
    memory.damage("UPDATE summaries SET content = '' WHERE kind = 'leaf' AND conversation_id = 1")
    memory.db.exec('DROP TABLE summaries_fts')
    const { steps } = await plan(memory.path)
    const result = await apply(
      memory.path,
      steps.map((step) => step.id),
    )
    expect(result.rolledBack).toBeNull()
    expect(fired(await scan(memory.path))).toEqual([])
  })

  it('writes a text again that was changed without its index', async () => {
    const id = memory.db.value<string>("SELECT summary_id FROM summaries WHERE kind = 'leaf'") ?? ''
    // More words than the whole index has: to take them out fails, where fewer would only leave the index wrong.
    const content = `${'Nobody has indexed this. '.repeat(20_000)} [Truncated from 9,000 tokens]`
    memory.damage('UPDATE summaries SET content = :content WHERE summary_id = :id', { id, content })
    expect(isIndexSound(memory.db, 'summaries')).toBe(false)
    const steps = (await plan(memory.path)).steps.filter(({ risk }) => risk !== 'manual')
    const result = await apply(
      memory.path,
      steps.map((step) => step.id),
    )
    expect(result.rolledBack).toBeNull()
    expect(fired(await scan(memory.path))).toEqual([])
    expect(isIndexSound(memory.db, 'summaries')).toBe(true)
  })

  /** Puts a message back into the window, while a trigger changes something else at the same time. */
  async function applySpoilt(spoil: string): Promise<RepairResult> {
    // A file that has such a trigger when it is opened is not written to at all.
    using lcm = await openHere(memory.path, { settings: readSettings({}), owner: 'test' })
    memory.db.exec(`CREATE TRIGGER spoil AFTER INSERT ON context_items BEGIN ${spoil}; END`)
    return await runIn(lcm, { kind: 'repair', summarizer: 'deterministic', steps: [{ id: 'coverage_gap:1' }] })
  }

  it('keeps nothing when a check would find more than before', async () => {
    loseMessage()
    // Inserting a window entry also breaks a depth.
    const before = memory.db.all('SELECT * FROM context_items')
    const result = await applySpoilt('UPDATE summaries SET depth = 7')
    expect(result.applied).toEqual([])
    expect(result.rolledBack?.map(({ check }) => check)).toContain('depth_mismatch')
    expect(existsSync(result.backup?.path ?? '')).toBe(true)
    expect(memory.db.all('SELECT * FROM context_items')).toEqual(before)
    expect(fired(await scan(memory.path))).toContain('coverage_gap')
  })

  it('never changes a canonical row', async () => {
    loseMessage()
    memory.db.exec('DROP TRIGGER messages_immutable')
    const before = canonical(memory.db)
    const spoilt = applySpoilt("UPDATE messages SET content = 'x' WHERE message_id = 1")
    await expect(spoilt).rejects.toMatchObject({ code: 'internal' })
    expect(canonical(memory.db)).toBe(before)
  })

  it('writes texts with the selected summariser', async () => {
    const id = memory.db.value<string>("SELECT summary_id FROM summaries WHERE kind = 'leaf'") ?? ''
    memory.damage("UPDATE summaries SET content = '' WHERE summary_id = :id", { id })
    const { steps } = await plan(memory.path)
    expect(steps.find((step) => step.id === 'empty_summary:1')).toMatchObject({ risk: 'model', nodes: [id] })
    await apply(memory.path, ['empty_summary:1'])
    expect(memory.db.value('SELECT length(content) > 20 FROM summaries WHERE summary_id = :id', { id })).toBe(1)
    expect(fired(await scan(memory.path))).toEqual([])
  })
})

describe('the application of all steps', () => {
  /** Returns how often the file was scanned before a write, and the result. */
  async function all() {
    using lcm = await openLcm(memory.path, { settings: readSettings({}), owner: 'test' })
    const job = (await lcm.doctor()).repair.applyAll({ summarizer: 'deterministic' }, new AbortController().signal)
    let scans = 0
    let isWritten = false
    let isReading = false
    for (;;) {
      const step = await job.next()
      if (step.done) return { scans, done: step.value }
      isWritten ||= step.value.note?.startsWith('writing') === true
      const wasReading = isReading
      isReading = step.value.note === 'reading' && step.value.unit === 'checks'
      // A slow machine tells more than once that it reads.
      if (isReading && !wasReading && !isWritten) scans += 1
    }
  }

  it('scans the file once before it writes', async () => {
    memory.damage('DELETE FROM context_items WHERE message_id = (SELECT min(message_id) FROM context_items)')
    const { scans, done } = await all()
    expect(scans).toBe(1)
    expect(done).toMatchObject({ applied: { applied: [{ id: 'coverage_gap:1', chosen: true }], left: [] } })
    expect(fired(await scan(memory.path))).toEqual([])
  })

  it('scans once and says what a person has to do when no other step is planned', async () => {
    memory.damage("UPDATE messages SET content = 'forged' WHERE message_id = 2")
    const { scans, done } = await all()
    expect(scans).toBe(1)
    expect(done).toMatchObject({ plan: { steps: [{ risk: 'manual' }] } })
  })
})

describe('a file of another system', () => {
  const path = join(FIXTURES, 'lossless-claw/corrupt/message_lost_from_context.db')

  it('has a plan that can be exported, and is never written', async () => {
    const shown = await plan(path)
    expect(shown.onlyExport).toMatch(/working copy/)
    expect(shown.steps.map((step) => step.id)).toEqual(['coverage_gap:1'])
    await expect(apply(path, ['coverage_gap:1'])).rejects.toMatchObject({ code: 'read_only_dialect' })
    const sql = await runOn(path, { kind: 'repair_export', format: 'sql' })
    expect(sql.text).toMatch(/INSERT INTO context_items/)
    expect(sql.text).toMatch(/working copy/)
    const markdown = await runOn(path, { kind: 'repair_export', format: 'markdown' })
    expect(markdown.text).toMatch(/## 1\. Put 1 message back into the window/)
  })
})

describe('a file whose size or hash differs from its row', () => {
  it('is recorded as it is on disk', async () => {
    const id = memory.largeFile(1, { byte_size: 5, content_hash: 'f'.repeat(64), file_name: 'a.txt' })
    mkdirSync(join(dirname(memory.path), 'lcm-files/1'), { recursive: true })
    writeFileSync(join(dirname(memory.path), `lcm-files/1/${id}.txt`), 'longer than it was')
    expect(fired(await scan(memory.path))).toEqual(expect.arrayContaining(['file_size', 'file_hash']))
    const { steps } = await plan(memory.path)
    expect(steps).toMatchObject([{ id: 'file_size:1', risk: 'rewrite', rows: 1, nodes: [id] }])
    const { rolledBack } = await apply(memory.path, ['file_size:1'])
    expect(rolledBack).toBeNull()
    expect(fired(await scan(memory.path))).toEqual([])
  })
})

// Our own tables refuse such rows.
describe('duplicate rows in a file of another system', () => {
  const source = 'lossless-claw/small.db'
  it('are removed in its plan', async () => {
    const path = copyOf(source)
    const db = new Database(path)
    for (const table of ['context_items', 'summary_messages']) {
      db.exec(`CREATE TABLE other AS SELECT * FROM ${table}; DROP TABLE ${table}; ALTER TABLE other RENAME TO ${table}`)
    }
    db.exec('INSERT INTO summary_messages SELECT summary_id, message_id, ordinal + 50 FROM summary_messages LIMIT 1')
    db.exec(
      'UPDATE context_items SET ordinal = (SELECT min(ordinal) FROM context_items) WHERE ordinal = (SELECT max(ordinal) FROM context_items)',
    )
    db.close()
    const { steps } = await plan(path)
    expect(steps.find((step) => step.id.startsWith('duplicate_edge'))).toMatchObject({
      rows: 1,
      changes: [{ after: null }],
    })
    expect(steps.flatMap((step) => step.fixes)).toEqual(expect.arrayContaining(['duplicate_edge', 'ordinal_duplicate']))
  })
})

describe('an exported SQL script', () => {
  it('does what the steps do', async () => {
    damageDepth()
    loseMessage()
    memory.damage('UPDATE summaries SET earliest_at = 5 WHERE depth = 0')
    const { text } = await runOn(memory.path, { kind: 'repair_export', format: 'sql' })
    const other = openNative(memory.path)
    other.exec(text)
    other.close()
    expect(fired(await scan(memory.path))).toEqual([])
  })
})

describe('time travel', () => {
  it('shows the window before a repair afterwards, too', async () => {
    const lost = loseMessage()
    using lcm = await openLcm(memory.path, { settings: readSettings({}), clock: () => NOW_MS })
    const before = memory.windowItems(1)
    await apply(memory.path, ['coverage_gap:1'])
    expect(memory.windowItems(1)).toContain(lost)
    const event = lcm.timeTravel.timeline(1).events.at(-1)
    const past = lcm.timeTravel.entriesAt(1, { eventId: event?.eventId ?? 0 })
    expect(past.placed).toEqual(before)
    expect(past.reconstructed).toBe(false)
  })
})
