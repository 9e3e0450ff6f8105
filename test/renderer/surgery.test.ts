import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DiffLine } from '#core/contract/surgery.ts'
import { sideBySide } from '#renderer/features/surgery/side-by-side-table.tsx'
import { askFor, operationsOf } from '#renderer/features/surgery/surgery-ask.ts'
import { draftOf, toRequest } from '#renderer/features/surgery/surgery-draft.ts'
import { lineageAfter, resultTitle, tokensText } from '#renderer/features/surgery/surgery-wording.ts'
import { runs } from '../builders/property-runs.ts'

const line = (kind: DiffLine['kind'], text: string): DiffLine => ({ kind, text })

describe('the rows of a side-by-side comparison', () => {
  it('put each replaced line beside the line that replaced it', () => {
    const diff = [line('same', 'a'), line('removed', 'b'), line('added', 'B'), line('added', 'C'), line('same', 'd')]
    expect(sideBySide(diff)).toEqual([
      { kind: 'same', before: 'a', after: 'a' },
      { kind: 'changed', before: 'b', after: 'B' },
      { kind: 'changed', before: null, after: 'C' },
      { kind: 'same', before: 'd', after: 'd' },
    ])
  })

  it('contain both texts, line by line', () => {
    const lines = fc.array(fc.record({ kind: fc.constantFrom('same', 'removed', 'added'), text: fc.string() }))
    fc.assert(
      fc.property(lines, (diff) => {
        const rows = sideBySide(diff as DiffLine[])
        const of = (kind: string) => diff.filter((each) => each.kind !== kind).map(({ text }) => text)
        expect(rows.flatMap(({ before }) => (before === null ? [] : [before]))).toEqual(of('added'))
        expect(rows.flatMap(({ after }) => (after === null ? [] : [after]))).toEqual(of('removed'))
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('a surgery operation', () => {
  const node = { id: 'sum_1', conversationId: 4 }

  it('is offered only for the kinds of nodes that it can change', () => {
    expect(operationsOf('leaf').map(({ operation }) => operation)).not.toContain('subtree')
    expect(operationsOf('condensed').map(({ operation }) => operation)).toContain('subtree')
  })

  it('sends exactly what was chosen', () => {
    const ask = askFor('subtree', node)
    const draft = { ...draftOf(ask), targetTokens: ' 150 ', prompt: '  ' }
    expect(toRequest(ask, draft)).toEqual({
      kind: 'rewrite',
      id: 'sum_1',
      subtree: true,
      summarizer: 'deterministic',
      prompt: null,
      targetTokens: 150,
    })
    expect(toRequest(askFor('dissolve', node), draft)).toEqual({ kind: 'dissolve', id: 'sum_1' })
  })

  it('sends a text by hand only when it was changed and is not blank', () => {
    const ask = askFor('rewrite', node)
    const byHand = { ...draftOf(ask), byHand: true }
    expect(toRequest(ask, byHand)).toBeNull()
    expect(toRequest(ask, { ...byHand, text: ' \n' })).toBeNull()
    expect(toRequest(ask, { ...byHand, text: 'As it was.' })).toEqual({
      kind: 'rewrite',
      id: 'sum_1',
      text: 'As it was.',
    })
    expect(toRequest(ask, { ...byHand, byHand: false, text: 'As it was.' })).not.toHaveProperty('text')
  })

  it('cannot be sent until every field is valid', () => {
    const ask = askFor('rewrite', node)
    for (const typed of ['0', '-1', '1.5', '1e9', 'many'])
      expect(toRequest(ask, { ...draftOf(ask), targetTokens: typed })).toBeNull()
    const transplant = askFor('transplant', node)
    expect(toRequest(transplant, draftOf(transplant))).toBeNull()
    expect(toRequest(transplant, { ...draftOf(transplant), toConversationId: 7 })).toEqual({
      kind: 'transplant',
      id: 'sum_1',
      toConversationId: 7,
    })
  })

  it('shows its result in figures', () => {
    expect(tokensText(1204, 980)).toBe('1,204 → 980 tokens, −19\u00a0%')
    expect(tokensText(0, 12)).toBe('0 → 12 tokens')
    expect(resultTitle({ rolledBack: [], backup: null })).toContain('nothing was kept')
  })

  it('names what dependents rest on afterwards', () => {
    const row = (summary: string, source: string, isAdded: boolean) => ({
      table: 'summary_sources',
      key: { summary_id: summary, source_summary_id: source },
      before: isAdded ? null : { ordinal: 0 },
      after: isAdded ? { ordinal: 0 } : null,
    })
    const changes = [
      row('sum_top', 'sum_gone', false),
      row('sum_gone', 'sum_a', false),
      row('sum_top', 'sum_a', true),
      row('sum_top', 'sum_b', true),
    ]
    expect(lineageAfter(changes, 'sum_gone')).toEqual([{ id: 'sum_top', sources: ['sum_a', 'sum_b'] }])
  })
})
