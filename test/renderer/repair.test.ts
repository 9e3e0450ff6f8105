import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CheckResult, IntegrityReport } from '#core/contract/integrity.ts'
import type { Job } from '#core/contract/job.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { RepairResult, RepairStep } from '#core/contract/repair.ts'
import { nextJob } from '#renderer/features/integrity/next-job.ts'
import {
  applyText,
  copyOffer,
  findingChanges,
  outcomeTitle,
  rowsByTable,
  stepTitle,
  stepWords,
  whyOnlyExport,
} from '#renderer/features/integrity/repair-wording.ts'
import { groupChecks } from '#renderer/features/integrity/report-groups.ts'
import { allSteps, safeSteps, toggleStep } from '#renderer/features/integrity/step-choice.ts'
import { cellText, changedTables } from '#renderer/ui/data/change-rows.ts'
import { runs } from '../builders/property-runs.ts'

const step = (id: string, over: Partial<RepairStep> = {}): RepairStep => ({
  id,
  fixes: [],
  conversationId: null,
  nodes: [],
  title: id,
  description: '',
  risk: 'safe',
  rows: 0,
  changes: [],
  sql: [],
  cannotRestore: null,
  dependsOn: [],
  fingerprint: id,
  ...over,
})

const sorted = (ids: Iterable<string>) => [...ids].sort()

describe('the selection of repair steps', () => {
  const steps = [
    step('a'),
    step('b', { dependsOn: ['a'] }),
    step('c', { risk: 'rewrite', dependsOn: ['b'] }),
    step('d', { risk: 'manual' }),
    step('e', { dependsOn: ['d'] }),
    step('f', { dependsOn: ['c'] }),
  ]

  it('begins with the safe steps that depend on no other kind of step', () => {
    expect(sorted(safeSteps(steps))).toEqual(['a', 'b'])
  })

  it('is all of them when all are wanted, without those that only a person can do', () => {
    expect(sorted(allSteps(steps))).toEqual(['a', 'b', 'c', 'f'])
    expect(applyText(2, 4)).toBe('Apply 2 of 4\u00a0steps')
    expect(applyText(4, 4)).toBe('Apply 4\u00a0steps')
  })

  it('says why first, and which rows only when it is unfolded', () => {
    expect(stepWords('summaries: 2 rows changed (depth). Nothing else changes. From the leaves up.')).toEqual({
      sentence: 'From the leaves up.',
      rows: 'summaries: 2 rows changed (depth). Nothing else changes.',
    })
    expect(stepWords('Compare with the transcript.')).toEqual({ sentence: 'Compare with the transcript.', rows: null })
  })

  it('adds the steps that a step depends on, and removes those that depend on it', () => {
    const all = toggleStep(steps, new Set(), 'f')
    expect(sorted(all)).toEqual(['a', 'b', 'c', 'f'])
    expect(sorted(toggleStep(steps, all, 'b'))).toEqual(['a'])
  })

  it('contains no manual step, and no step that depends on one', () => {
    expect(toggleStep(steps, new Set(), 'd').size).toBe(0)
    expect(toggleStep(steps, new Set(), 'e').size).toBe(0)
  })

  it('is closed under dependencies after any clicks', () => {
    const risks = ['safe', 'rewrite', 'model', 'manual'] as const
    const plan = fc
      .array(fc.record({ risk: fc.constantFrom(...risks), needs: fc.array(fc.nat(9), { maxLength: 3 }) }), {
        minLength: 1,
        maxLength: 10,
      })
      .map((all) => all.map(({ risk, needs }, at) => step(`s${at}`, { risk, dependsOn: needs.map((n) => `s${n}`) })))
    fc.assert(
      fc.property(plan, fc.array(fc.nat(9), { maxLength: 12 }), (steps, clicks) => {
        const chosen = clicks.reduce((ids, at) => toggleStep(steps, ids, `s${at}`), safeSteps(steps))
        for (const id of chosen) {
          const one = steps.find((each) => each.id === id)
          expect(one?.risk).not.toBe('manual')
          for (const need of one?.dependsOn ?? []) expect(chosen.has(need)).toBe(true)
        }
      }),
      { numRuns: runs(200) },
    )
  })
})

const check = (id: string, over: Partial<CheckResult> = {}): CheckResult => ({
  id,
  group: 'lineage',
  severity: 'error',
  invariant: '',
  explanation: '',
  count: 1,
  samples: [],
  repairable: true,
  notApplicable: null,
  durationMs: 0,
  ...over,
})

describe('the consequences of a check', () => {
  const causes = (checks: readonly CheckResult[]) =>
    groupChecks(checks).causes.map(({ check, consequences }) => [check.id, consequences.map(({ id }) => id)])

  it('are listed under their first cause, however far it is', () => {
    const checks = [
      check('cycle'),
      check('depth', { consequenceOf: ['cycle'] }),
      check('numbers', { consequenceOf: ['depth'] }),
    ]
    expect(causes(checks)).toEqual([['cycle', ['depth', 'numbers']]])
  })

  it('are listed alone when their cause found nothing, or when each explains the other', () => {
    expect(causes([check('depth', { consequenceOf: ['cycle'] })])).toEqual([['depth', []]])
    const round = [check('a', { consequenceOf: ['b'] }), check('b', { consequenceOf: ['a'] })]
    expect(causes(round).map(([id]) => id)).toEqual(['a', 'b'])
  })

  it('are all listed, for any relation between checks', () => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    const some = fc.subarray(ids)
    fc.assert(
      fc.property(fc.tuple(some, some, some, some, some), (of) => {
        const checks = ids.map((id, at) => check(id, { consequenceOf: of[at] ?? [] }))
        const shown = groupChecks(checks).causes.flatMap((one) => [
          one.check.id,
          ...one.consequences.map(({ id }) => id),
        ])
        expect(sorted(shown)).toEqual(ids)
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('the next job by itself', () => {
  const report = (finishedAtMs: number, error = 1): IntegrityReport => ({
    ok: error === 0,
    checks: [],
    counts: { error, warning: 0, info: 0 },
    messages: 0,
    summaries: 0,
    durationMs: 0,
    finishedAtMs,
  })
  const job = (kind: Job['kind'], startedAtMs: number, state: Job['state'] = 'done'): Job => ({
    jobId: `${kind} ${startedAtMs}`,
    kind,
    conversationId: null,
    state,
    progress: null,
    startedAtMs,
    finishedAtMs: state === 'running' ? null : startedAtMs + 1,
    error: null,
    result: null,
  })

  it('is the plan, once for each report that found something', () => {
    expect(nextJob({ jobs: [], report: report(100) })).toBe('repair_plan')
    expect(nextJob({ jobs: [job('repair_plan', 50)], report: report(100) })).toBe('repair_plan')
    for (const state of ['running', 'done', 'failed', 'cancelled'] as const)
      expect(nextJob({ jobs: [job('repair_plan', 100, state)], report: report(100) })).toBeNull()
  })

  it('is none when nothing was checked or nothing is wrong', () => {
    expect(nextJob({ jobs: [], report: null })).toBeNull()
    expect(nextJob({ jobs: [], report: report(100, 0) })).toBeNull()
  })

  it('is one scan after a change by hand, and none after a change that failed', () => {
    for (const kind of ['repair', 'surgery', 'undo'] as const) {
      expect(nextJob({ jobs: [job(kind, 200)], report: report(100, 0) })).toBe('integrity')
      expect(nextJob({ jobs: [job(kind, 200, 'failed')], report: report(100, 0) })).toBeNull()
      const scanned = [job('integrity', 300, 'cancelled'), job(kind, 200)]
      expect(nextJob({ jobs: scanned, report: report(100, 0) })).toBeNull()
    }
  })

  it('waits for jobs that read or write the memory', () => {
    expect(nextJob({ jobs: [job('compact', 150, 'running')], report: report(100) })).toBeNull()
    expect(nextJob({ jobs: [job('index', 150, 'running')], report: report(100) })).toBe('repair_plan')
  })
})

describe('the changed rows of a step', () => {
  it('are listed by table as added, removed and changed', () => {
    const tables = changedTables([
      {
        table: 'context_items',
        key: { ordinal: 2 },
        before: null,
        after: { ordinal: 2, message_id: 59, summary_id: null },
      },
      { table: 'summaries', key: { summary_id: 'sum_1' }, before: { depth: 7 }, after: { depth: 0 } },
      { table: 'context_items', key: { ordinal: 9 }, before: { message_id: 4 }, after: null },
    ])
    expect(tables.map(({ table, rows }) => [table, rows.map(({ verb }) => verb)])).toEqual([
      ['context_items', ['added', 'removed']],
      ['summaries', ['changed']],
    ])
    expect(tables[0]?.rows[0]?.cells).toEqual([{ column: 'message_id', before: null, after: '59' }])
    expect(tables[1]?.rows[0]?.cells).toEqual([{ column: 'depth', before: '7', after: '0' }])
  })

  it('show foreign or long values in one line, cut between characters', () => {
    expect(cellText('a\n  b')).toBe('a b')
    expect(cellText('')).toBe('“”')
    expect(cellText(null)).toBe('null')
    const long = cellText('👍'.repeat(100_000))
    expect(long.endsWith('👍…')).toBe(true)
    expect([...long]).toHaveLength(161)
  })

  it('are added up by table', () => {
    const change = (table: string) => ({ table, key: {}, before: null, after: {} })
    const one = step('one', { rows: 900, changes: [change('summaries')] })
    const two = step('two', { rows: 2, changes: [change('summaries'), change('context_items')] })
    expect(rowsByTable([one, two])).toEqual([
      { table: 'summaries', rows: 901 },
      { table: 'context_items', rows: 1 },
    ])
  })
})

describe('the outcome of a repair', () => {
  const result = (over: Partial<RepairResult>): RepairResult => ({
    applied: [],
    skipped: [],
    backup: null,
    rolledBack: null,
    before: {},
    after: {},
    left: [],
    canonicalHash: '',
    durationMs: 0,
    ...over,
  })
  const applied = [{ id: 'a', rows: 1, chosen: true }]

  it('says what was done, or that nothing was kept', () => {
    expect(outcomeTitle(result({ applied }))).toBe('1\u00a0step applied')
    expect(outcomeTitle(result({ applied, skipped: [{ id: 'b', reason: '' }] }))).toContain('1 skipped')
    expect(outcomeTitle(result({ rolledBack: [{ check: 'x', before: 0, after: 1 }] }))).toContain('Rolled back')
    expect(outcomeTitle(result({}))).toContain('Nothing')
  })

  it('lists every check before and after, the most improved first', () => {
    expect(findingChanges({ before: { a: 1, b: 9, c: 2 }, after: { c: 2, d: 1 } })).toEqual([
      { check: 'b', before: 9, after: 0 },
      { check: 'a', before: 1, after: 0 },
      { check: 'c', before: 2, after: 2 },
      { check: 'd', before: 0, after: 1 },
    ])
  })

  it('says why a file of another system or without write access cannot be repaired', () => {
    const info = { readOnly: true, system: 'lossless-claw', systemLabel: 'lossless-claw', readOnlyReason: null }
    const steps = [step('a'), step('b', { risk: 'manual' })]
    expect(whyOnlyExport(info as MemoryInfo, steps)).toContain('applied to a working copy')
    expect(whyOnlyExport(info as MemoryInfo, steps.slice(1))).toContain('Every step of the plan is by hand')
    expect(whyOnlyExport({ ...info, readOnly: false, system: 'native' } as MemoryInfo, steps)).toBeNull()
    expect(whyOnlyExport({ ...info, system: 'native', readOnlyReason: 'No rights.' } as MemoryInfo, steps)).toContain(
      'No rights.',
    )
  })

  it('offers no repair in a working copy where every step is by hand', () => {
    const steps = [step('a'), step('b', { risk: 'manual' })]
    expect(copyOffer(steps)).toEqual({ label: 'Repair in a working copy', look: 'primary' })
    expect(copyOffer(steps.slice(1))).toEqual({ label: 'Make a working copy', look: 'plain' })
  })

  it('names a step by hand as the finding beside it', () => {
    const title = 'By hand: tool pair split, 5 findings'
    expect(stepTitle(step('tool_pair_split', { title, risk: 'manual' }))).toBe(
      'By hand: A tool call and its result are apart, 5 findings',
    )
    expect(stepTitle(step('rebuild', { title: 'Rebuild the search index' }))).toBe('Rebuild the search index')
  })
})
