import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { compactedMemory } from '#test/doctor/repair/compacted.ts'
import { canonical } from '#test/doctor/repair/doctor.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { lcmHere } from './lcm.ts'

let memory: TestMemory
beforeEach(async () => {
  memory = await compactedMemory({ seed: 21 })
})
afterEach(() => memory.close())

type Json = Record<string, unknown> & { readonly steps: readonly { readonly id: string; readonly risk: string }[] }

async function lcm(...args: string[]): Promise<{ code: number | null; json: Json; stderr: string }> {
  const { code, stdout, stderr } = await lcmHere([...args, '--db', memory.path, '--json'])
  return { code, json: JSON.parse(stdout), stderr }
}

const top = (): string =>
  memory.db.value<string>(
    'SELECT summary_id FROM context_items WHERE conversation_id = 1 AND summary_id IS NOT NULL ORDER BY ordinal',
  ) ?? ''

describe('lcm repair', () => {
  it('has nothing to do for a sound file', async () => {
    expect(await lcm('repair', '--plan')).toMatchObject({ code: 0, json: { steps: [] } })
    expect(await lcm('repair', '--apply', 'all')).toMatchObject({ code: 0, json: { steps: [], applied: [] } })
  })

  it('plans with exit code 3, applies with a backup, and then has nothing to do', async () => {
    memory.damage('DELETE FROM context_items WHERE message_id = (SELECT min(message_id) FROM context_items)')
    const before = canonical(memory.db)
    const planned = await lcm('repair', '--plan')
    expect(planned.code).toBe(3)
    expect(planned.json.steps).toMatchObject([
      { id: 'coverage_gap:1', fixes: expect.arrayContaining(['coverage_gap']), risk: 'safe', rows: 1 },
    ])
    const applied = await lcm('repair', '--apply', 'coverage_gap:1')
    expect(applied).toMatchObject({ code: 0, json: { steps: [], applied: ['coverage_gap:1'], after: { ok: true } } })
    expect(existsSync(String(applied.json.backup))).toBe(true)
    expect(canonical(memory.db)).toBe(before)
    expect((await lcm('integrity')).code).toBe(0)
  })

  it('applies all steps of one conversation, and leaves those of others', async () => {
    memory.damage(
      `DELETE FROM context_items WHERE message_id IN (
        SELECT min(message_id) FROM context_items WHERE message_id IS NOT NULL GROUP BY conversation_id)`,
    )
    const planned = await lcm('repair', '--plan')
    const ids = planned.json.steps.map(({ id }) => id)
    expect(ids).toContain('coverage_gap:1')
    const { json } = await lcm('repair', '--apply', 'all', '--conversation', '1')
    expect(json.applied).toEqual(ids.filter((id) => id.endsWith(':1')))
    expect(json.steps.map(({ id }) => id)).toEqual(ids.filter((id) => !id.endsWith(':1')))
  })

  it('ends with exit code 3 when a person has to do something', async () => {
    memory.damage("UPDATE messages SET content = 'forged' WHERE message_id = 2")
    memory.damage('UPDATE summaries SET depth = 9')
    const { code, json } = await lcm('repair', '--apply', 'all')
    expect(code).toBe(3)
    expect(json.steps).toMatchObject([{ id: 'content_hash', risk: 'manual' }])
  })

  it('writes a plan to a file', async () => {
    memory.damage('UPDATE summaries SET depth = 9')
    const path = join(dirname(memory.path), 'plan.sql')
    expect((await lcm('repair', '--plan', '-o', path)).json).toMatchObject({ format: 'sql', path })
    expect(readFileSync(path, 'utf8')).toMatch(/^BEGIN IMMEDIATE;$/m)
    const again = await lcm('repair', '--plan', '-o', path)
    expect(again).toMatchObject({ code: 2, json: { error: { code: 'invalid_argument' } } })
    expect(await lcm('repair', '--plan', '-o', path, '--force')).toMatchObject({ code: 0 })
    expect((await lcm('repair', '--format', 'markdown')).json.text).toMatch(/# Repair plan/)
  })

  it.each([[], ['--force']])('never writes a plan over the memory, also with --force', async (...force) => {
    const before = canonical(memory.db)
    for (const path of [memory.path, `${memory.path}-wal`]) {
      expect(await lcm('repair', '--plan', '-o', path, ...force)).toMatchObject({
        code: 2,
        json: { error: { code: 'invalid_argument', message: expect.stringContaining('choose another path') } },
      })
    }
    expect(canonical(memory.db)).toBe(before)
  })

  it('refuses an unknown step, and --plan together with --apply', async () => {
    expect(await lcm('repair', '--apply', 'no_such_step')).toMatchObject({
      code: 1,
      json: { error: { code: 'plan_stale' } },
    })
    expect(await lcm('repair', '--plan', '--apply', 'all')).toMatchObject({
      code: 2,
      json: { error: { code: 'invalid_argument' } },
    })
  })

  it('plans for a file of another system and names the working copy', async () => {
    const db = join(FIXTURES, 'lossless-claw/corrupt/depth_wrong.db')
    const ran = await lcmHere(['repair', '--plan', '--db', db, '--json'])
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.stdout).onlyExport).toMatch(/lcm copy/)
    const refused = await lcmHere(['repair', '--apply', 'all', '--db', db, '--json'])
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.stdout).error).toMatchObject({ code: 'read_only_dialect' })
    expect(refused.stderr).toMatch(/lcm copy/)
  })
})

describe('the commands rewrite, dissolve, transplant and undo', () => {
  it('show with --plan what they do without it', async () => {
    const id = top()
    const window = memory.windowItems(1)
    const shown = await lcm('dissolve', id, '--plan')
    expect(shown).toMatchObject({ code: 0, json: { before: { window: [id] }, rows: expect.any(Number) } })
    expect(memory.windowItems(1)).toEqual(window)
    const done = await lcm('dissolve', id)
    expect(done.json).toMatchObject({ previewId: shown.json.previewId, applied: true, rolledBack: null })
    expect(memory.windowItems(1)).not.toEqual(window)
    expect((await lcm('undo', String(done.json.backup))).code).toBe(0)
    expect(memory.windowItems(1)).toEqual(window)
    expect((await lcm('backups')).json.backups).toHaveLength(2)
  })

  it('take the last compaction back, show it with --plan, and say why they refuse', async () => {
    using talked = buildMemory({ conversations: [{ messages: Array.from({ length: 60 }, () => ({})) }] })
    const on = async (...args: string[]) => {
      const ran = await lcmHere([...args, '--db', talked.path, '--json'])
      return { code: ran.code, json: JSON.parse(ran.stdout) }
    }
    const window = talked.windowItems(1)
    const set = ['--set', 'leafChunkTokens=120', '--set', 'leafTargetTokens=20']
    const { json: compacted } = await on('compact', ...set)
    expect(talked.windowItems(1)).not.toEqual(window)
    const shown = await on('undo', '--plan')
    expect(shown).toMatchObject({ code: 0, json: { runId: compacted.runId, refusal: null } })
    const done = await on('undo', '--run', compacted.runId)
    expect(done).toMatchObject({ code: 0, json: { runId: compacted.runId, tokensAfter: compacted.tokensBefore } })
    expect(talked.windowItems(1)).toEqual(window)
    expect(await on('undo', '--run', compacted.runId)).toMatchObject({ json: { error: { code: 'conflict' } } })
    expect(await on('loss', '--run', compacted.runId)).toMatchObject({ json: { error: { code: 'conflict' } } })
    expect(await on('undo', 'some.db', '--plan')).toMatchObject({ code: 2 })
  })

  it('print for rewrite the text before and after', async () => {
    const id = top()
    const { json } = await lcm('rewrite', id, '--subtree', '--target', '12')
    expect(json).toMatchObject({ applied: true })
    const after = (json.after as { nodes: { id: string; text: string }[] }).nodes.find((node) => node.id === id)
    expect(memory.db.value('SELECT content FROM summaries WHERE summary_id = :id', { id })).toBe(after?.text)
  })

  it('copy with transplant into another conversation', async () => {
    expect((await lcm('transplant', top(), '--to', '2')).json).toMatchObject({
      applied: true,
      messages: expect.any(Number),
    })
    expect((await lcm('transplant', top(), '--to', '2')).code).toBe(2)
    expect((await lcm('integrity')).code).toBe(0)
  })

  it('describe their changes in words without --json', async () => {
    const { stdout } = await lcmHere(['dissolve', top(), '--plan', '--db', memory.path])
    expect(stdout).toMatch(/Dissolve sum_.* into its sources[\s\S]*Nothing was written\./)
  })
})
