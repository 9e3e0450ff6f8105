import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rules } from '#core/doctor/rules/rules.ts'
import { openMemory } from '#test/builders/open-memory.ts'
import { CLAW_DAMAGE } from '#test/builders/systems/lossless-damage.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { marksOf } from './marks.ts'
import { faultsIn, fired, resultOf, scanFile, wrong } from './scan-file.ts'

const corrupt = join(FIXTURES, 'lossless-claw/corrupt')
const namesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.db'))

describe('a damaged file of lossless-claw', () => {
  const marks = marksOf(join(FIXTURES, 'lossless-claw/small.db'))
  it.each(namesIn(corrupt))('has exactly its one fault named and located: %s', async (name) => {
    const { check = '', at } = CLAW_DAMAGE[name.replace('.db', '')] ?? {}
    const report = await scanFile(join(corrupt, name))
    expect(report.ok).toBe(false)
    expect(faultsIn(report)).toEqual([check])
    const { samples } = resultOf(report, check)
    expect(samples.length).toBeGreaterThan(0)
    expect(JSON.stringify(samples)).toContain(at?.(marks) ?? '')
  })
})

const sound = [
  ...['small', 'rich'].map((name) => `lossless-claw/${name}.db`),
  ...namesIn(join(FIXTURES, 'lossless-claw/legacy')).map((name) => `lossless-claw/legacy/${name}`),
  'lossless-claude/small.sqlite',
  'hermes-lcm/small.db',
  'lcm-x/small.db',
  'argentos/small.db',
  'pi-lcm/small.db',
  'decapod/small/lcm.db',
]

/** States that a system may leave by its own rules. */
const expected: Readonly<Record<string, readonly string[]>> = {
  'lossless-claude/small.sqlite': ['files_elsewhere'],
  'argentos/small.db': ['deterministic_summary', 'empty_message'],
  'pi-lcm/small.db': ['unconsumed_root'],
}

describe('a sound file', () => {
  it.each(sound)('has no error and no warning, and every check is listed: %s', async (name) => {
    const report = await scanFile(join(FIXTURES, name))
    expect(wrong(report)).toEqual([])
    expect(expected[name] ?? []).toEqual(expect.arrayContaining(fired(report)))
    expect(report.ok).toBe(true)
    expect(report.checks.map(({ id }) => id)).toEqual(rules.map(({ id }) => id))
  })
})

type Listed = { fault: string; node_id?: number; store_id?: number; trigger?: string; ref?: string }

/** By the names in the list beside the file. */
const hermesFaults: Readonly<Record<string, string>> = {
  missing_source_message: 'dangling_edge',
  missing_fts_trigger: 'fts_trigger_missing',
  fts_missing_row: 'fts_in_sync',
  malformed_source_ids_json: 'malformed_json',
  empty_sources: 'summary_without_source',
  cycle: 'lineage_cycle',
  depth_mismatch_leaf_of_nodes: 'depth_mismatch',
  unknown_source_type: 'kind_mismatch',
  duplicate_coverage: 'double_coverage',
  time_window_inverted: 'time_range',
  summary_not_smaller_than_source: 'not_smaller_than_sources',
  l3_truncation_fallback: 'fallback_summary',
  missing_source_node: 'dangling_edge',
  lifecycle_frontier_beyond_messages: 'frontier_beyond_messages',
  duplicate_tool_call_id_result: 'duplicate_tool_result',
  externalized_payload_missing: 'file_missing',
}

describe('the damaged file of hermes-lcm', () => {
  const path = join(FIXTURES, 'hermes-lcm/damaged.db')
  const listed: Listed[] = JSON.parse(readFileSync(path.replace('.db', '.truth.json'), 'utf8')).faults

  it.each(listed.filter(({ fault }) => !fault.includes('not a fault')))(
    'has a finding for its fault: $fault',
    async (listed) => {
      const result = resultOf(await scanFile(path), hermesFaults[listed.fault] ?? '')
      expect(result.count).toBeGreaterThan(0)
      const place = listed.node_id ?? listed.store_id ?? listed.trigger ?? listed.ref ?? ''
      expect(JSON.stringify(result.samples)).toContain(String(place))
    },
  )

  it('has no finding for the row without a source, which older versions wrote', async () => {
    const report = await scanFile(path)
    // Its index lacks all that came last, and its frontier lies behind them all.
    const others = ['fts_in_sync', 'coverage_gap']
    const samples = report.checks.flatMap(({ id, samples }) => (others.includes(id) ? [] : samples))
    const row = openMemory(path, { cacheDir: temporaryFolder() })
    const id = row.read.value(`SELECT 'msg_' || message_id FROM messages WHERE content = 'legacy blank source row'`)
    row.close()
    expect(samples.filter((sample) => sample.id === id)).toEqual([])
  })
})

describe('the polluted file of ArgentOS', () => {
  it('has findings for sessions of the summariser, for what was stored there, and for what came back', async () => {
    const path = join(FIXTURES, 'argentos/gateway.db')
    const truth = JSON.parse(readFileSync(path.replace('.db', '.truth.json'), 'utf8'))
    const report = await scanFile(path)
    const misfiled = truth.messages_of_main_transcript_in_wrong_session as { c: number }[]
    expect(resultOf(report, 'summariser_session').count).toBe(truth.synthetic_sessions)
    expect(resultOf(report, 'misfiled_message').count).toBe(misfiled.reduce((sum, { c }) => sum + c, 0))
    expect(resultOf(report, 'reingested_summary').count).toBeGreaterThan(4)
    expect(resultOf(report, 'duplicate_file').count).toBe(1)
    expect(resultOf(report, 'empty_message').count).toBeGreaterThan(4)
    expect(report.ok).toBe(false)
  })
})
