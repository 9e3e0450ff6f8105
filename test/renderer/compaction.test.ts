import { describe, expect, it, vi } from 'vitest'
import type { CompactionPreview, CompactionResult, PlanStep } from '#core/contract/compaction.ts'
import type { ProviderInfo } from '#core/contract/provider.ts'
import { EMPTY_FORM, presetOf, requestOf, withValues } from '#renderer/features/compaction/compaction-form.ts'
import {
  beforeAfterText,
  decisionTitle,
  expectedText,
  failedAttempts,
  formatCost,
  levelsText,
  lossText,
  madeText,
  resultTitle,
  spentText,
  stepsText,
} from '#renderer/features/compaction/compaction-wording.ts'
import { estimateRun, overheadOf } from '#renderer/features/compaction/model-estimate.tsx'
import { isUndoneAtOnce } from '#renderer/features/compaction/undo-run.tsx'
import { providersOf } from '#renderer/ui/data/summarizers.ts'
import { goingText, leavingText, planText, previewText } from '#renderer/ui/texts/plan-text.ts'

// There is no connection here.
vi.mock('#renderer/api.ts', () => ({ api: {} }))

const plain = (text: string) => text.replaceAll('\u00a0', ' ')

describe('the request for a compaction', () => {
  it('leaves out every setting that the form leaves empty, so that the configuration decides', () => {
    expect(requestOf(EMPTY_FORM, 3)).toEqual({
      request: { conversationId: 3, mode: 'full', summarizer: 'deterministic', reason: 'manual' },
    })
    expect(requestOf({ ...EMPTY_FORM, settings: { freshTailCount: ' ', softThreshold: '0.5' } }, 3)).toEqual({
      request: {
        conversationId: 3,
        mode: 'full',
        summarizer: 'deterministic',
        reason: 'manual',
        settings: { softThreshold: 0.5 },
      },
    })
  })

  it('contains the target only in the mode that has one', () => {
    const form = { ...EMPTY_FORM, targetTokens: '5000' }
    expect(requestOf(form, 3)).not.toHaveProperty('request.targetTokens')
    expect(requestOf({ ...form, mode: 'untilUnder' }, 3)).toHaveProperty('request.targetTokens', 5000)
  })

  it.each([
    ['freshTailCount', '-1', 'Newest messages: a whole number from 0'],
    ['freshTailCount', '1.5', 'Newest messages: a whole number from 0'],
    ['softThreshold', '1.2', 'Compact at: a number from 0.01 to 1'],
    ['maxDepth', 'deep', 'Greatest depth: a whole number from -1'],
  ])('refuses %s = %s with its name and range', (name, text, problem) => {
    expect(requestOf({ ...EMPTY_FORM, settings: { [name]: text } }, 3)).toEqual({ problem })
  })
})

describe('the texts about a compaction', () => {
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

  it('do not claim that anything was compacted when nothing changed', () => {
    expect(resultTitle(result({}))).toBe('Nothing was changed')
    expect(plain(resultTitle(result({ created: [leaf], tokensAfter: 20 })))).toBe(
      '1 new summary, 80 % less in the window',
    )
  })

  it('say how much was saved, and that a plan only expects it', () => {
    expect(plain(beforeAfterText(124_310, 71_900))).toBe('124,310 → 71,900 tokens (−42 %)')
    expect(plain(beforeAfterText(100, 100))).toBe('100 → 100 tokens')
    const plan = { conversationId: 1, mode: 'full', steps: [], modelCalls: 0, skipped: null } as const
    expect(plain(expectedText({ ...plan, steps: [], tokensBefore: 100, expectedTokensAfter: 50 }))).toBe(
      '100 → about 50 tokens (−50 %)',
    )
  })

  it('count the first summaries and the summaries of summaries that a plan makes', () => {
    const step = { sources: [], sourceTokens: 0, expectedTokens: 0, firstSeq: 0, lastSeq: 0 }
    const leafStep = { ...step, pass: 'leaf', depth: 0 } as const
    const condensedStep = { ...step, pass: 'condensed', depth: 1 } as const
    expect(plain(stepsText({ steps: [leafStep, leafStep, condensedStep] }))).toBe(
      '2 first summaries and 1 summary of summaries',
    )
    expect(plain(stepsText({ steps: [condensedStep] }))).toBe('1 summary of summaries')
  })

  it('say how urgent a compaction is', () => {
    expect(decisionTitle({ should: false, urgency: 'none' }, 'resting')).toBe('No need to compact')
    expect(decisionTitle({ should: false, urgency: 'none' }, 'running')).toBe('Compacting now')
    expect(decisionTitle({ should: true, urgency: 'hard' }, 'resting')).toBe('Compact before the next turn')
  })
})

describe('the preset of a known system', () => {
  const preset = {
    name: 'argentos',
    label: 'ArgentOS',
    settings: { freshTailCount: 32, maxDepth: -1 },
    note: null,
  } as const
  const other = { ...preset, name: 'pi-lcm', settings: { freshTailCount: 0 } } as const

  it('fills the form with its values, and is recognised by them', () => {
    const form = withValues({ ...EMPTY_FORM, mode: 'leaf', settings: { budgetTokens: '9' } }, preset.settings)
    expect(form).toEqual({ ...EMPTY_FORM, mode: 'leaf', settings: { freshTailCount: '32', maxDepth: '-1' } })
    expect(presetOf(form, [other, preset])).toBe(preset)
  })

  it('is no longer recognised once one of its values is changed', () => {
    const form = withValues(EMPTY_FORM, preset.settings)
    expect(presetOf({ ...form, settings: { ...form.settings, maxDepth: '2' } }, [preset, other])).toBeNull()
    expect(presetOf(EMPTY_FORM, [preset])).toBeNull()
    expect(withValues(form, {})).toEqual(EMPTY_FORM)
  })
})

describe('the estimate for a compaction by models', () => {
  const numbers = { depth: 0, firstSeq: 0, lastSeq: 0, sourceTokens: 4000, expectedTokens: 600 }
  const step = { ...numbers, pass: 'leaf' as const, sources: [] }
  const plan = {
    conversationId: 1,
    mode: 'full' as const,
    steps: [step, step],
    modelCalls: 2,
    tokensBefore: 8000,
    expectedTokensAfter: 1200,
    skipped: null,
  }
  const provider: ProviderInfo = {
    name: 'one',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1/v1',
    model: 'small',
    keyVariable: null,
    timeoutMs: 1000,
    maxOutputTokens: 1000,
    inputPrice: 1,
    outputPrice: 10,
    keySource: 'none',
  }

  it('adds what surrounds the sources in a prompt, and the expected answers', () => {
    const overheadTokens = overheadOf({ tokens: 4500 }, step)
    expect(estimateRun({ plan, provider, overheadTokens, capTokens: 20_000 })).toEqual({
      calls: 2,
      inputTokens: 9000,
      outputTokens: 1200,
      cost: 0.021,
      capTokens: 20_000,
      isAboveCap: false,
    })
  })

  it('has no cost without prices, and says when the run would pass its cap', () => {
    const free = { ...provider, outputPrice: null }
    const estimate = estimateRun({ plan, provider: free, overheadTokens: 0, capTokens: 9000 })
    expect(estimate).toMatchObject({ cost: null, isAboveCap: true })
  })

  it('follows the models of a chain in their order', () => {
    const settings = { providers: [provider, { ...provider, name: 'two' }], chain: ['two', 'one'] }
    expect(providersOf('chain', settings).map(({ name }) => name)).toEqual(['two', 'one'])
    expect(providersOf('one', settings).map(({ name }) => name)).toEqual(['one'])
    expect(providersOf('deterministic', settings)).toEqual([])
  })
})

describe('the texts about a finished run', () => {
  it('count its summaries by the level at which they were made', () => {
    expect(plain(levelsText([{ level: 'normal' }, { level: 'deterministic' }, { level: 'normal' }]))).toBe(
      '2 normal, 1 by the built-in extractor',
    )
  })

  it('name its tokens and cost, or an unknown price, and are missing when no model was asked', () => {
    const run = { modelInputTokens: 9000, modelOutputTokens: 1, cost: 0.0213 }
    expect(plain(spentText(run) ?? '')).toBe('9,000 in, 1 token out · cost 0.021')
    expect(plain(spentText({ ...run, cost: null }) ?? '')).toBe('9,000 in, 1 token out · no price known')
    expect(spentText({ modelInputTokens: 0, modelOutputTokens: 0, cost: null })).toBeNull()
    expect([0, 0.00001, 0.5, 12.345].map((cost) => plain(formatCost(cost)))).toEqual(['0', '< 0.0001', '0.5', '12.35'])
  })

  it('list the calls that led to nothing', () => {
    const attempt = {
      summarizer: 'one',
      level: 'normal',
      model: null,
      promptVersion: null,
      tokens: 0,
      durationMs: 1,
      reason: null,
    }
    const attempts = [
      { ...attempt, outcome: 'timeout' },
      { ...attempt, outcome: 'accepted' },
    ] as const
    expect(failedAttempts(attempts).map(({ outcome }) => outcome)).toEqual(['timeout'])
  })
})

it('says of a compaction how many details were kept, dropped and changed, and leaves out what did not happen', () => {
  const counts = { items: 9, details: 900, kept: 700, changed: 2, dropped: 190, unknown: 8, byKind: [] }
  expect(plain(lossText(counts, 'left'))).toBe(
    'Of 900 details that left the window, 700 still stand in it, 190 lost, 2 changed, 8 perhaps put in other words.',
  )
  expect(plain(lossText({ ...counts, details: 1, kept: 1, changed: 0, dropped: 0, unknown: 0 }, 'left'))).toBe(
    'Of 1 detail that left the window, 1 still stands in it.',
  )
})

describe('the sentence about a plan', () => {
  const step = (sources: string[]): PlanStep => ({
    ...{ pass: 'leaf', depth: 0, sources, sourceTokens: 9, expectedTokens: 4, firstSeq: 0, lastSeq: 1 },
  })

  it('counts the messages and earlier summaries that leave, and the summaries that come', () => {
    expect(plain(planText({ steps: [step(['msg_1', 'msg_2']), step(['msg_3'])] }))).toBe(
      '3 messages leave the window, 2 new summaries come',
    )
    expect(plain(planText({ steps: [step(['msg_1'])] }))).toBe('1 message leaves the window, 1 new summary comes')
    const sourceCounts = { messages: 900, summaries: 0, planned: 0 }
    expect(plain(planText({ steps: [step(['msg_1', 'msg_900'])], sourceCounts }))).toBe(
      '900 messages leave the window, 1 new summary comes',
    )
  })

  it('counts a summary that the same plan condenses further as made, but not as coming into the window', () => {
    const steps = [step(['msg_1', 'msg_2']), step(['msg_3']), step(['sum_a', 'step_0', 'step_1'])]
    expect(plain(planText({ steps }))).toBe(
      '3 messages and 1 earlier summary leave the window, 1 of 3 new summaries comes',
    )
    // The question before a compaction names the same.
    expect(plain(leavingText({ steps }))).toBe('3 messages and 1 earlier summary')
  })

  it('counts the details that are lost or changed, and says when there are none', () => {
    expect(plain(goingText({ dropped: 6361, changed: 3 }))).toBe('6,361 details are lost and 3 changed')
    expect(plain(goingText({ dropped: 1, changed: 0 }))).toBe('1 detail is lost')
    expect(plain(goingText({ dropped: 0, changed: 2 }))).toBe('2 details are changed')
    expect(goingText({ dropped: 0, changed: 0 })).toBe('no detail is lost')
    const loss = { counts: { dropped: 9, changed: 0 } } as CompactionPreview['loss']
    expect(plain(previewText({ loss, isPart: true }) ?? '')).toBe('at least 9 details are lost')
    expect(previewText({ loss: null, isPart: false })).toBeNull()
  })
})

describe('how a summary was made', () => {
  it('is said once where level and maker are the same', () => {
    expect(madeText('deterministic', 'deterministic')).toBe('built-in extractor')
    expect(madeText('aggressive', 'deterministic')).toBe('aggressive · built-in extractor')
    expect(madeText('normal', 'claude-haiku')).toBe('normal · claude-haiku')
    expect(madeText('unknown', null)).toBe('unknown')
  })
})

it('takes a compaction back without a question only where it is possible and no message came since', () => {
  expect(isUndoneAtOnce({ refusal: null, keptMessages: 0 })).toBe(true)
  expect(isUndoneAtOnce({ refusal: null, keptMessages: 1 })).toBe(false)
  expect(isUndoneAtOnce({ refusal: 'A later run was built upon it.', keptMessages: 0 })).toBe(false)
})
