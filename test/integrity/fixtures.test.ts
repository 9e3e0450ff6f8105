import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checks } from '../../core/integrity/checks.ts'
import { FIXTURES, hasFixtures } from '../db/fixtures.ts'
import { faultsIn, fired, resultOf, scanFile, wrong } from './scan-file.ts'

const corrupt = join(FIXTURES, 'lossless-claw/corrupt')
const namesIn = (folder: string): string[] =>
  hasFixtures ? readdirSync(folder).filter((name) => name.endsWith('.db')) : []

/** What names each kind of damage, and a node that a sample has to lead to. */
const damages: Readonly<Record<string, readonly [check: string, at: string | null]>> = {
  archived_but_active_flag: ['archived_but_active_flag', null],
  context_chronology_inverted: ['context_order', 'sum_d2260ecb6260260f'],
  context_dangling_summary: ['dangling_item', 'sum_0000000000000000'],
  context_ordinal_gap: ['ordinal_gap', 'msg_62'],
  dag_cycle: ['lineage_cycle', 'sum_11e8686d921dd087'],
  depth_wrong: ['depth_mismatch', 'sum_c76038c039fc9393'],
  emergency_model: ['fallback_summary', 'sum_bf0aea37d81cc11c'],
  fallback_marker: ['fallback_summary', 'sum_bf0aea37d81cc11c'],
  fts_missing_rows: ['fts_in_sync', 'msg_'],
  fts_table_dropped: ['fts_in_sync', null],
  identity_hash_wrong: ['content_hash', 'msg_10'],
  large_file_missing_on_disk: ['file_missing', 'file_d137dcbbd5ee4cad'],
  large_file_row_missing: ['file_reference_unknown', 'sum_5de2e604d0e946f9'],
  message_covered_twice: ['double_coverage', 'msg_1'],
  message_lost_from_context: ['coverage_gap', 'msg_59'],
  message_token_count_zero: ['token_drift', 'msg_40'],
  orphan_summary: ['summary_without_source', 'sum_deadbeefdeadbeef'],
  part_metadata_bad_json: ['malformed_json', 'msg_22'],
  self_parent: ['lineage_cycle', 'sum_c76038c039fc9393'],
  stale_maintenance_running: ['stale_lock', null],
  time_range_outside_sources: ['time_range', 'sum_bf0aea37d81cc11c'],
  tool_result_orphan: ['tool_pair_split', 'msg_67'],
}

describe.runIf(hasFixtures)('a damaged file of lossless-claw', () => {
  it.each(namesIn(corrupt))('%s: its one fault is named and located', async (name) => {
    const [check, at] = damages[name.replace('.db', '')] ?? []
    const report = await scanFile(join(corrupt, name))
    expect(report.ok).toBe(false)
    expect(faultsIn(report)).toEqual([check])
    const { samples } = resultOf(report, check ?? '')
    expect(samples.length).toBeGreaterThan(0)
    if (at) expect(JSON.stringify(samples)).toContain(at)
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

/** States that a system leaves by its own rules. */
const expected: Readonly<Record<string, readonly string[]>> = {
  'lossless-claude/small.sqlite': ['files_elsewhere'],
  'argentos/small.db': ['deterministic_summary', 'empty_message'],
  'pi-lcm/small.db': ['unconsumed_root'],
}

describe.runIf(hasFixtures)('a sound file', () => {
  it.each(sound)('%s has no error and no warning, and every check is listed', async (name) => {
    const report = await scanFile(join(FIXTURES, name))
    expect(wrong(report)).toEqual([])
    expect(fired(report)).toEqual(expected[name] ?? [])
    expect(report.ok).toBe(true)
    expect(report.checks.map(({ id }) => id)).toEqual(checks.map(({ id }) => id))
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

describe.runIf(hasFixtures)('the damaged file of hermes-lcm', () => {
  const path = join(FIXTURES, 'hermes-lcm/damaged.db')
  const listed: Listed[] = hasFixtures
    ? JSON.parse(readFileSync(path.replace('.db', '.truth.json'), 'utf8')).faults
    : []

  it.each(listed.filter(({ fault }) => !fault.includes('not a fault')))('shows $fault', async (listed) => {
    const result = resultOf(await scanFile(path), hermesFaults[listed.fault] ?? '')
    expect(result.count).toBeGreaterThan(0)
    const place = listed.node_id ?? listed.store_id ?? listed.trigger ?? listed.ref ?? ''
    expect(JSON.stringify(result.samples)).toContain(String(place))
  })

  it('says nothing of the row without a source, which older versions wrote', async () => {
    const report = await scanFile(path)
    const samples = report.checks.flatMap(({ id, samples }) => (id === 'fts_in_sync' ? [] : samples))
    expect(samples.filter(({ id }) => id === 'msg_85')).toEqual([])
  })
})

describe.runIf(hasFixtures)('the polluted file of ArgentOS', () => {
  it('names the summariser’s own sessions, what was filed there, and what came back', async () => {
    const path = join(FIXTURES, 'argentos/gateway.db')
    const truth = JSON.parse(readFileSync(path.replace('.db', '.truth.json'), 'utf8'))
    const report = await scanFile(path)
    const misfiled = truth.messages_of_main_transcript_in_wrong_session as { c: number }[]
    expect(resultOf(report, 'summariser_session').count).toBe(truth.synthetic_sessions)
    expect(resultOf(report, 'misfiled_message').count).toBe(misfiled.reduce((sum, { c }) => sum + c, 0))
    expect(resultOf(report, 'reingested_summary').count).toBeGreaterThan(100)
    expect(resultOf(report, 'duplicate_file').count).toBe(1)
    expect(resultOf(report, 'empty_message').count).toBe(12)
    expect(report.ok).toBe(false)
  })
})
