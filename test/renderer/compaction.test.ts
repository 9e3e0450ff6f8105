import { describe, expect, it } from 'vitest'
import type { CompactionResult } from '../../core/contract/compaction.ts'
import { EMPTY_FORM, requestOf } from '../../renderer/features/compaction/compaction-form.ts'
import {
  beforeAfterText,
  decisionTitle,
  expectedText,
  resultTitle,
  stepsText,
} from '../../renderer/features/compaction/compaction-wording.ts'

const plain = (text: string) => text.replaceAll('\u00a0', ' ')

describe('what is asked of a compaction', () => {
  it('leaves to the configuration what the form leaves empty', () => {
    expect(requestOf(EMPTY_FORM, 3)).toEqual({ request: { conversationId: 3, mode: 'full', reason: 'manual' } })
    expect(requestOf({ ...EMPTY_FORM, settings: { freshTailCount: ' ', softThreshold: '0.5' } }, 3)).toEqual({
      request: { conversationId: 3, mode: 'full', reason: 'manual', settings: { softThreshold: 0.5 } },
    })
  })

  it('has a target only where there is one to reach', () => {
    const form = { ...EMPTY_FORM, targetTokens: '5000' }
    expect(requestOf(form, 3)).not.toHaveProperty('request.targetTokens')
    expect(requestOf({ ...form, mode: 'untilUnder' }, 3)).toHaveProperty('request.targetTokens', 5000)
  })

  it.each([
    ['freshTailCount', '-1', 'Fresh tail: a whole number from 0'],
    ['freshTailCount', '1.5', 'Fresh tail: a whole number from 0'],
    ['softThreshold', '1.2', 'Soft threshold: a number from 0.01 to 1'],
    ['maxDepth', 'deep', 'Greatest depth: a whole number from -1'],
  ])('refuses %s = %s with its name and range', (name, text, problem) => {
    expect(requestOf({ ...EMPTY_FORM, settings: { [name]: text } }, 3)).toEqual({ problem })
  })
})

describe('what is said of a compaction', () => {
  const result = (over: Partial<CompactionResult>): CompactionResult => ({
    runId: null,
    conversationId: 1,
    stopReason: 'nothing_eligible',
    tokensBefore: 100,
    tokensAfter: 100,
    reduction: 0,
    created: [],
    durationMs: 1,
    ...over,
  })
  const leaf = { id: 'sum_a', kind: 'leaf', depth: 0, level: 'deterministic', sourceTokens: 90, tokens: 10 } as const

  it('is never that it compacted when nothing changed', () => {
    expect(resultTitle(result({}))).toBe('Nothing was changed')
    expect(plain(resultTitle(result({ created: [leaf], tokensAfter: 20 })))).toBe(
      '1 new summary, 80 % less in the window',
    )
  })

  it('is how much it saves, and that a plan only expects it', () => {
    expect(plain(beforeAfterText(124_310, 71_900))).toBe('124,310 → 71,900 tokens (−42 %)')
    expect(plain(beforeAfterText(100, 100))).toBe('100 → 100 tokens')
    const plan = { conversationId: 1, mode: 'full', steps: [], modelCalls: 0, skipped: null } as const
    expect(plain(expectedText({ ...plan, steps: [], tokensBefore: 100, expectedTokensAfter: 50 }))).toBe(
      '100 → about 50 tokens (−50 %)',
    )
  })

  it('is what it makes', () => {
    const step = { sources: [], sourceTokens: 0, expectedTokens: 0, firstSeq: 0, lastSeq: 0 }
    const leafStep = { ...step, pass: 'leaf', depth: 0 } as const
    const condensedStep = { ...step, pass: 'condensed', depth: 1 } as const
    expect(plain(stepsText({ steps: [leafStep, leafStep, condensedStep] }))).toBe('2 leaves and 1 condensed summary')
    expect(plain(stepsText({ steps: [condensedStep] }))).toBe('1 condensed summary')
  })

  it('is how urgent it is', () => {
    expect(decisionTitle({ should: false, urgency: 'none' })).toBe('No need to compact')
    expect(decisionTitle({ should: true, urgency: 'hard' })).toBe('Compact before the next turn')
  })
})
