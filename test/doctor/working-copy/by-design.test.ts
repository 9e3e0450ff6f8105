import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import type { IntegrityReport } from '#core/contract/integrity.ts'
import { openLcm } from '#core/lcm.ts'
import { Random } from '#test/builders/random.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { changedCopy, copyInto, WITHOUT_CONSTRAINTS } from '#test/systems/foreign-files.ts'
import { fired, resultOf, scanFile, wrong } from '../integrity/scan-file.ts'
import type { World } from '../integrity/worlds.ts'
import { apply, plan } from '../repair/doctor.ts'
import { generatedFaults } from '../rules/faults/families.ts'
import { copied } from './copying.ts'

/** Sound files, and the checks whose findings are by design of their systems in a copy. */
const SOUND: Readonly<Record<string, readonly string[]>> = {
  'lossless-claw/small.db': [],
  'lossless-claw/rich.db': [],
  'lossless-claude/small.sqlite': [],
  'hermes-lcm/small.db': ['descendant_count'],
  'lcm-x/small.db': ['descendant_count'],
  'argentos/small.db': ['context_order'],
  'pi-lcm/small.db': ['orphan_summary', 'coverage_gap', 'tool_pair_split'],
  'decapod/small/lcm.db': ['cross_conversation_edge', 'orphan_summary', 'double_coverage', 'not_smaller_than_sources'],
}
const names = Object.keys(SOUND)

const byDesign = (report: IntegrityReport): Record<string, number> =>
  Object.fromEntries((report.byDesign ?? []).map(({ id, count }) => [id, count]))

/** A copy of a working copy to which something is done. */
function changed(path: string, change: string | ((db: Database.Database) => void)): string {
  return changedCopy(path, (db) => {
    db.exec(WITHOUT_CONSTRAINTS)
    if (typeof change === 'string') db.exec(change)
    else change(db)
  })
}

describe('a working copy of a sound memory', () => {
  const copies = new Map<string, string>()
  beforeAll(async () => {
    for (const name of names) copies.set(name, (await copied(join(FIXTURES, name))).path)
  })
  const copyOf = (name: string): string => copies.get(name) ?? ''

  it.each(names)('has no fault, and names the known exceptions of its system: %s', async (name) => {
    const report = await scanFile(copyOf(name))
    expect(wrong(report)).toEqual([])
    expect(report.ok).toBe(true)
    expect(SOUND[name]).toEqual(expect.arrayContaining(Object.keys(byDesign(report))))
    for (const { why, systemLabel, severity, samples, count } of report.byDesign ?? []) {
      expect(why).toContain(systemLabel)
      expect(severity).toBe('info')
      expect(samples).toHaveLength(Math.min(count, 20))
    }
    // No finding is reported twice.
    for (const { id } of report.byDesign ?? []) expect(resultOf(report, id).count).toBe(0)
  })

  it('passes its known exceptions on to a copy of itself', async () => {
    const first = copyOf('pi-lcm/small.db')
    const again = await copied(first)
    const report = await scanFile(again.path)
    expect(wrong(report)).toEqual([])
    expect(byDesign(report)).toEqual(byDesign(await scanFile(first)))
    expect(byDesign(report)).toMatchObject({ orphan_summary: expect.any(Number), coverage_gap: expect.any(Number) })
    expect(report.byDesign?.[0]).toMatchObject({ system: 'pi-lcm', systemLabel: 'pi-lcm' })
  })

  it('has the same known exceptions in a scan of one conversation as in a scan of all', async () => {
    const report = await scanFile(copyOf('decapod/small/lcm.db'), 1)
    expect(wrong(report)).toEqual([])
    expect(byDesign(report)).toMatchObject({ orphan_summary: expect.any(Number) })
  })

  const later: readonly (readonly [name: string, check: string, damage: string])[] = [
    [
      'hermes-lcm/small.db',
      'descendant_count',
      `UPDATE summaries SET source_token_count = source_token_count + 1 WHERE summary_id = '2'`,
    ],
    ['hermes-lcm/small.db', 'descendant_count', `UPDATE summaries SET source_token_count = 7 WHERE summary_id = '5'`],
    [
      'argentos/small.db',
      'context_order',
      `CREATE TEMP TABLE two AS SELECT ordinal FROM context_items WHERE message_id IS NOT NULL ORDER BY ordinal DESC LIMIT 2;
      UPDATE context_items SET ordinal = -1 WHERE ordinal = (SELECT max(ordinal) FROM two);
      UPDATE context_items SET ordinal = (SELECT max(ordinal) FROM two) WHERE ordinal = (SELECT min(ordinal) FROM two);
      UPDATE context_items SET ordinal = (SELECT min(ordinal) FROM two) WHERE ordinal = -1`,
    ],
    [
      'pi-lcm/small.db',
      'coverage_gap',
      `DELETE FROM context_items WHERE message_id = (SELECT max(message_id) FROM messages)`,
    ],
    ['pi-lcm/small.db', 'orphan_summary', `DELETE FROM context_items WHERE summary_id IS NOT NULL`],
    // Behind the same summary no longer, so that it is not what was so from the start.
    ['pi-lcm/small.db', 'coverage_gap', `DELETE FROM summary_messages WHERE message_id = 43`],
    [
      'decapod/small/lcm.db',
      'cross_conversation_edge',
      `INSERT INTO summary_messages (summary_id, message_id, ordinal)
      SELECT summary_id, (SELECT max(message_id) FROM messages WHERE conversation_id <> s.conversation_id), 9999
      FROM summaries AS s WHERE conversation_id = 1 AND NOT EXISTS (
        SELECT 1 FROM summary_messages AS e JOIN messages AS m ON m.message_id = e.message_id
        WHERE e.summary_id = s.summary_id AND m.conversation_id <> s.conversation_id) LIMIT 1`,
    ],
    [
      'decapod/small/lcm.db',
      'not_smaller_than_sources',
      `UPDATE summaries SET token_count = 999999 WHERE rowid = (SELECT max(rowid) FROM summaries)`,
    ],
  ]

  it.each(later)('has a fault when damage is new since the copy: %s, %s', async (name, check, damage) => {
    const report = await scanFile(changed(copyOf(name), damage))
    expect(wrong(report)).toContain(check)
    expect(report.ok).toBe(false)
  })

  it.each(names)('has a finding, or a known exception of its system, for any damage: %s', async (name) => {
    // Each copy is given every fifth fault, and all copies together every one.
    for (const [index, fault] of generatedFaults.entries()) {
      if (index % names.length !== names.indexOf(name)) continue
      const path = copyInto(temporaryFolder(), copyOf(name))
      const world = worldOf(path, index)
      try {
        fault.inject(world)
      } catch (error) {
        // A memory with one conversation has no other to take something from.
        expect(String(error)).toContain('nothing to pick from')
      }
      world.close()
      if (!world.isDamaged()) continue
      const report = await scanFile(path)
      expect([...fired(report), ...Object.keys(byDesign(report))]).toContain(fault.rule)
    }
  })

  it.each([
    ['pi-lcm/small.db', `DELETE FROM summary_messages WHERE message_id = 43`],
    ['decapod/small/lcm.db', null],
  ] as const)('has marks in the strata only for damage that is new since the copy: %s', async (name, damage) => {
    const marks = async (path: string): Promise<unknown> => {
      using lcm = await openLcm(path, { readOnly: true })
      return lcm.strata.get({ conversationId: 1, axis: 'messages' }).marks
    }
    expect(await marks(copyOf(name))).toEqual([])
    if (damage !== null) expect(await marks(changed(copyOf(name), damage))).toMatchObject([{ kind: 'uncovered' }])
  })

  it('has no known exceptions when it does not say of what it is a copy', async () => {
    const forgetful = changed(copyOf('pi-lcm/small.db'), `DELETE FROM lcm_meta WHERE key = 'copied_ways'`)
    expect(wrong(await scanFile(forgetful))).toEqual(expect.arrayContaining(['orphan_summary', 'coverage_gap']))
    const broken = changed(
      copyOf('pi-lcm/small.db'),
      `UPDATE lcm_meta SET value = '{"keys":' WHERE key = 'copied_ways'`,
    )
    expect(wrong(await scanFile(broken))).toContain('coverage_gap')
  })
})

type Trigger = { readonly name: string; readonly sql: string }

/** A working copy as a place for faults. */
function worldOf(path: string, seed: number): World & { readonly isDamaged: () => boolean } {
  const db = new Database(path)
  let isDamaged = false
  db.exec(WITHOUT_CONSTRAINTS)
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all() as Trigger[]
  return {
    form: 'native',
    path,
    random: new Random(seed),
    sources: { table: 'summary_sources', source: 'source_summary_id' },
    rows: (sql, params = {}) => db.prepare(sql).all(params) as never,
    damage: (sql, params = {}) => {
      for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
      isDamaged = db.prepare(sql).run(params).changes > 0
      for (const trigger of triggers) db.exec(trigger.sql)
    },
    close: () => db.close(),
    isDamaged: () => isDamaged,
  }
}

describe('a working copy under the rules of its system', () => {
  it('keeps what is a known exception when a finding of the same rule beside it is repaired', async () => {
    const original = changedCopy(join(FIXTURES, 'hermes-lcm/small.db'), (db) =>
      db.exec('UPDATE summary_nodes SET source_token_count = source_token_count + 40 WHERE depth = 0 AND node_id > 1'),
    )
    const path = changed(
      (await copied(original)).path,
      `UPDATE summaries SET source_token_count = 5 WHERE summary_id = '1'`,
    )
    const before = await scanFile(path)
    expect(wrong(before)).toEqual(['descendant_count'])
    expect(byDesign(before).descendant_count).toBeGreaterThan(1)
    const { steps } = await plan(path)
    expect(steps.map(({ id, nodes }) => [id, nodes])).toEqual([['descendant_count:1', ['1']]])
    await apply(path, ['descendant_count:1'])
    const after = await scanFile(path)
    expect(wrong(after)).toEqual([])
    expect(byDesign(after)).toEqual(byDesign(before))
  })

  it('may have messages of other conversations between those of one of hermes-lcm', async () => {
    const path = changedCopy(join(FIXTURES, 'hermes-lcm/small.db'), (db) =>
      db.exec(`UPDATE messages SET session_id = 'another'
        WHERE store_id IN (SELECT store_id FROM messages WHERE role = 'user' ORDER BY store_id DESC LIMIT 2)`),
    )
    expect(wrong(await scanFile(path))).toEqual([])
    const report = await scanFile((await copied(path)).path)
    expect(wrong(report)).toEqual([])
    expect(byDesign(report).sequence_gap).toBeGreaterThan(0)
  })

  it('may lack the shallow nodes of a session of hermes-lcm that ended', async () => {
    const path = changedCopy(join(FIXTURES, 'hermes-lcm/small.db'), (db) =>
      db.exec(`UPDATE summary_nodes SET depth = 2 WHERE depth = 1;
        DELETE FROM summary_nodes WHERE node_id = 1;
        UPDATE lcm_lifecycle_state SET last_rollover_at = 1`),
    )
    const { path: copy } = await copied(path)
    const [theirs, ours] = [await scanFile(path), await scanFile(copy)]
    expect(resultOf(theirs, 'pruned_expected').count).toBe(1)
    expect(resultOf(theirs, 'dangling_edge').count).toBe(0)
    expect(byDesign(ours)).toMatchObject({ dangling_edge: 1, foreign_keys: 1 })
    expect(wrong(ours)).toEqual(wrong(theirs).filter((id) => ours.checks.some((check) => check.id === id)))
  })
})
