import { describe, expect, it } from 'vitest'
import type { ByDesign, CheckResult, IntegrityReport } from '#core/contract/integrity.ts'
import { byDesign, groupChecks, reportTitle } from '#renderer/features/integrity/report-groups.ts'
import { reportMarkdown } from '#renderer/features/integrity/report-markdown.ts'

const check = (id: string, over: Partial<CheckResult> = {}): CheckResult => ({
  id,
  group: 'lineage',
  severity: 'error',
  invariant: 'It holds.',
  explanation: 'It does not hold.',
  count: 0,
  samples: [],
  repairable: false,
  notApplicable: null,
  durationMs: 0,
  ...over,
})

const report = (checks: CheckResult[], counts = { error: 0, warning: 0, info: 0 }): IntegrityReport => ({
  ok: counts.error + counts.warning === 0,
  checks,
  counts,
  messages: 10,
  summaries: 2,
  durationMs: 5,
  finishedAtMs: 0,
})

describe('the integrity report', () => {
  const ids = (checks: readonly CheckResult[]) => checks.map(({ id }) => id)

  it('puts errors before warnings, and the more frequent first', () => {
    const { findings } = groupChecks([
      check('warned', { severity: 'warning', count: 99 }),
      check('rare', { count: 1 }),
      check('frequent', { count: 5 }),
    ])
    expect(ids(findings)).toEqual(['frequent', 'rare', 'warned'])
  })

  it('does not call expected states damage, or inapplicable checks passed', () => {
    const groups = groupChecks([
      check('pruned_expected', { severity: 'info', count: 14 }),
      check('fine'),
      check('elsewhere', { notApplicable: 'This system has none.' }),
    ])
    expect(groups.findings).toEqual([])
    expect(ids(groups.expected)).toEqual(['pruned_expected'])
    expect(ids(groups.passed)).toEqual(['fine'])
    expect(ids(groups.notApplicable)).toEqual(['elsewhere'])
  })

  it('separates known exceptions of the system that a copy comes from, neither as damage nor as passed', () => {
    const way: ByDesign = {
      id: 'context_order',
      system: 'argentos',
      systemLabel: 'Argent\nOS',
      group: 'context',
      severity: 'info',
      invariant: 'It holds.',
      why: 'ArgentOS wants it so.',
      count: 1,
      samples: [{ id: '7', conversationId: 1, detail: 'stands behind' }],
    }
    const copy: IntegrityReport = { ...report([check('context_order'), check('fine')]), byDesign: [way] }
    const ways = byDesign(copy)
    expect(ways).toMatchObject([{ id: 'context_order', severity: 'info', explanation: way.why, count: 1 }])
    const groups = groupChecks(copy.checks, ways)
    expect(groups.findings).toEqual([])
    expect(ids(groups.passed)).toEqual(['fine'])
    const text = reportMarkdown(copy, '/tmp/a.db')
    expect(text).toContain('# By design of Argent OS, not damage')
    expect(text).toContain(way.why)
    expect(byDesign(report([]))).toEqual([])
  })

  it('has a title in plain words', () => {
    const title = (error: number, warning: number) => reportTitle({ counts: { error, warning, info: 3 } })
    expect(title(2, 1)).toBe('Two errors, one warning')
    expect(title(0, 1)).toBe('One warning')
    expect(title(1300, 0)).toBe('1,300 errors')
    expect(title(0, 0)).toBe('Nothing is wrong')
  })

  it('is exported with the number of checks that ran', () => {
    const text = reportMarkdown(report([check('one'), check('other', { notApplicable: 'Not here.' })]), '/tmp/a.db')
    expect(text).toContain(': 1 checks over ')
  })

  it('is exported with hostile text escaped', () => {
    const samples = [{ id: 'sum_`x`\n# Heading', conversationId: 1, detail: 'two\nlines' }]
    const text = reportMarkdown(report([check('dangling_edge', { count: 1, samples })]), '/tmp/a`b.db')
    expect(text).not.toContain('\n# Heading')
    expect(text).toContain('two lines')
    expect(text.split('\n')[0]).toBe('# Health of `/tmp/aˋb.db`')
  })
})
