import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fixes, rules, rulesOf } from '#core/doctor/rules/rules.ts'
import { allSystems } from '#core/systems/systems.ts'
import { FAMILIES } from './faults/families.ts'

it('every rule has a unique id', () => {
  const ids = rules.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

it('the steps of every fix are named after a rule that has it', () => {
  for (const fix of fixes) expect(rulesOf(fix).map(({ id }) => id)).toContain(fix.name)
})

it('no two fixes use the same name for their steps', () => {
  const names = fixes.map(({ name, part = '' }) => `${name} ${part}`)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

it('no two fixes have the same stage unless they do the same for different rules', () => {
  const shared = Map.groupBy(fixes, ({ stage }) => stage)
  expect([...shared].filter(([, group]) => group.length > 1).map(([stage]) => stage)).toEqual(['failed summaries'])
})

it('every rule above the severity info has a fix or an advice', () => {
  const silent = rules.filter(({ severity, fixes, advice }) => severity !== 'info' && !fixes && !advice)
  expect(silent.map(({ id }) => id)).toEqual([])
})

it('every known exception of a system names a rule', () => {
  const ids = new Set(rules.map(({ id }) => id))
  const named = allSystems().flatMap(({ knownExceptions }) => knownExceptions.map(({ rule }) => rule))
  expect(named.filter((id) => !ids.has(id))).toEqual([])
})

it('every rule follows from rules that exist', () => {
  const ids = new Set(rules.map(({ id }) => id))
  expect(rules.flatMap(({ consequenceOf = [] }) => consequenceOf).filter((id) => !ids.has(id))).toEqual([])
})

/** Ids of the rules in each file of core/doctor/rules. */
function idsByFamily(): ReadonlyMap<string, readonly string[]> {
  const folder = join(import.meta.dirname, '../../../core/doctor/rules')
  const known = new Set(rules.map(({ id }) => id))
  return new Map(
    readdirSync(folder).map((name) => {
      const ids = [...readFileSync(join(folder, name), 'utf8').matchAll(/^ +id: '(\w+)'/gm)].map(([, id]) => id ?? '')
      return [name.replace('.ts', ''), ids.filter((id) => known.has(id))]
    }),
  )
}

it('every seeded fault stands in the file of the family of its rule', () => {
  const ids = idsByFamily()
  const misplaced = Object.entries(FAMILIES).flatMap(([family, { compacted = [], lossless = [], generated = [] }]) =>
    [...compacted, ...lossless, ...generated].filter(({ rule }) => !ids.get(family)?.includes(rule)),
  )
  expect(misplaced.map(({ rule }) => rule)).toEqual([])
})

/** Rules whose findings take more than a damaged row, by the test that has them. */
const FOUND_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'test/doctor/integrity/fixtures.test.ts': [
    'deterministic_summary',
    'duplicate_file',
    'empty_message',
    'file_missing',
    'files_elsewhere',
    'frontier_beyond_messages',
    'misfiled_message',
    'reingested_summary',
    'summariser_session',
    'unconsumed_root',
  ],
  'test/doctor/integrity/states-of-lossless-claw.test.ts': ['pruned_expected', 'sqlite_integrity', 'table_lost'],
  'test/doctor/integrity/sound-lives.test.ts': ['node_unreachable'],
  'test/ledger/ledger.test.ts': ['ledger_behind', 'ledger_chain', 'ledger_hash'],
  'test/ledger/ledger-trouble.test.ts': ['ledger_ahead', 'ledger_foreign'],
  'test/doctor/repair/apply.test.ts': ['file_hash'],
  'test/doctor/repair/damaged-index.test.ts': ['index_damaged'],
  'test/doctor/rules/expected-states.test.ts': [
    'ledger_duplicate_event',
    'ledger_time_order',
    'never_compacted',
    'schema_version',
    'time_range_shifted',
    'tool_call_unanswered',
  ],
  'test/ingest/transcripts/broken-chains.test.ts': ['broken_chain'],
  'test/doctor/rules/log.test.ts': ['log_broken'],
}

it('every rule finds a seeded fault, or has a finding in the test that is named for it', () => {
  const seeded = Object.values(FAMILIES).flatMap(({ compacted = [], lossless = [], generated = [] }) =>
    [...compacted, ...lossless, ...generated].map(({ rule }) => rule),
  )
  const elsewhere = Object.entries(FOUND_ELSEWHERE).flatMap(([file, ids]) => {
    const text = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8')
    return ids.filter((id) => text.includes(`'${id}'`))
  })
  expect([...new Set([...seeded, ...elsewhere])].toSorted()).toEqual(rules.map(({ id }) => id).toSorted())
})
