import { describe, expect, it } from 'vitest'
import type { CheckResult } from '#core/contract/integrity.ts'
import { toBuckets } from '#renderer/features/strata/buckets.ts'
import { drawFindings } from '#renderer/features/strata/draw-findings.ts'
import { placeFindings } from '#renderer/features/strata/place-nodes.ts'
import { indexSummaries } from '#renderer/features/strata/summary-index.ts'
import { tooltipText } from '#renderer/features/strata/tooltip-text.ts'
import { brokenChainsOf, findingsOf, findingText } from '#renderer/ui/data/findings.ts'
import { idAt, messageColumns, sceneOf, strataOf } from './strata-builder.ts'

const check = (id: string, ids: readonly (string | null)[], over: Partial<CheckResult> = {}): CheckResult => ({
  id,
  group: 'lineage',
  severity: 'error',
  invariant: 'It holds.',
  explanation: 'It does not hold.',
  count: ids.length,
  samples: ids.map((sample) => ({ id: sample, conversationId: 1, detail: '' })),
  repairable: false,
  notApplicable: null,
  durationMs: 0,
  ...over,
})

it('says of a conversation whose chain breaks what a resume would load, and nothing of others', () => {
  const sample = { id: 'msg_9', conversationId: 7, detail: 'whoever resumes this session sees 4 of 8 messages' }
  const chain = check('broken_chain', [], { samples: [sample, { ...sample, conversationId: null }] })
  expect([...brokenChainsOf({ checks: [check('cycle', ['sum_1']), chain] })]).toEqual([[7, sample.detail]])
  expect(brokenChainsOf({ checks: [check('cycle', ['sum_1'])] }).size).toBe(0)
})

describe('findings by node', () => {
  it('name each check once, the most severe first', () => {
    const findings = findingsOf({
      checks: [
        check('late', ['msg_1'], { severity: 'warning' }),
        check('cycle', ['sum_1', 'sum_1']),
        check('lost', ['msg_1']),
      ],
    })
    expect([...findings.keys()].sort()).toEqual(['msg_1', 'sum_1'])
    const both = findings.get('msg_1')
    expect(both && findingText(both)).toBe('error: lost; late')
    expect(findings.get('sum_1')?.checks).toHaveLength(1)
  })

  it('leave out expected states, checks that passed or do not apply, and findings without a node', () => {
    const expected = check('pruned_expected', ['sum_1'], { severity: 'info' })
    const skipped = check('elsewhere', ['sum_2'], { notApplicable: 'This system has none.' })
    expect(findingsOf({ checks: [expected, skipped, check('schema', [null])] }).size).toBe(0)
    expect(findingsOf(null).size).toBe(0)
  })
})

describe('findings in the strata', () => {
  const strata = strataOf(
    [
      { x0: 0, x1: 50 },
      { x0: 50, x1: 100 },
      { x0: 0, x1: 100, depth: 1 },
    ],
    { extent: 100 },
  )
  const overview = toBuckets(messageColumns(0, 100), { x0: 0, x1: 100 })
  const findings = findingsOf({
    checks: [
      check('lineage_cycle', [idAt(1)]),
      check('tokens', ['msg_41', 'msg_900'], { severity: 'warning' }),
      check('edge', ['sum_of_another_conversation']),
    ],
  })
  const placed = placeFindings(findings, strata, indexSummaries(strata), [null, overview])

  it('are placed at their nodes, and left out for other conversations', () => {
    expect(placed.map(({ id, x0 }) => [id, x0])).toEqual([
      ['msg_41', 40],
      [idAt(1), 50],
    ])
  })

  it('are labelled by what was found, in words', () => {
    expect(placed.find(({ id }) => id === idAt(1))?.label).toBe('A summary is made from itself')
  })

  it('are drawn over their nodes in the colour of their severity', () => {
    const scene = sceneOf(strata, { overview, findings: placed })
    const ticks = drawFindings(scene)
    expect(ticks.map((tick) => 'fill' in tick && tick.fill)).toEqual([scene.palette.warning, scene.palette.error])
    for (const tick of ticks) expect(tick.kind === 'rect' && tick.y + tick.h).toBeLessThan(scene.rows.axisY)
  })

  it('are drawn as one where they would touch, in the colour of an error if one is among them', () => {
    const many = placed.concat({ id: 'msg_42', severity: 'error', label: 'tokens', x0: 40.01, x1: 41.01, entry: null })
    const scene = sceneOf(strata, { overview, findings: many })
    expect(drawFindings(scene).map((tick) => 'fill' in tick && tick.fill)).toEqual([
      scene.palette.error,
      scene.palette.error,
    ])
  })

  it('are named in the tooltip', () => {
    expect(tooltipText({ kind: 'summary', entry: 1 }, strata, findings).lines.at(-1)).toBe(
      'error: A summary is made from itself',
    )
    expect(tooltipText({ kind: 'summary', entry: 0 }, strata, findings).lines.join()).not.toContain('error')
  })
})
