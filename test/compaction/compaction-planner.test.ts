import { describe, expect, it } from 'vitest'
import { CompactionPlanner } from '#core/compaction/compaction-planner.ts'
import { CompactionDecision, CompactionPlan, type CompactRequest } from '#core/contract/compaction.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { KeptWindow } from '#core/window/kept-window.ts'
import { canonicalRows, windowOf } from './invariants.ts'
import { engineOn } from './run-compaction.ts'
import { input, remember, small, talk } from './talk.ts'

describe('the decision to compact', () => {
  it('contains every trigger with its numbers', () => {
    using memory = remember(talk(10, 100))
    const decide = (settings: object): CompactionDecision =>
      CompactionDecision.parse(engineOn(memory.db).evaluate(input({ settings })))
    expect(decide({ budgetTokens: 10_000 })).toMatchObject({
      should: false,
      urgency: 'none',
      tokens: 1_000,
      pressure: 0.1,
      eligibleMessages: 2,
      eligibleTokens: 200,
      triggers: [
        { name: 'soft_threshold', value: 1_000, limit: 7_500, fired: false },
        { name: 'hard_threshold', value: 1_000, limit: 10_000, fired: false },
        { name: 'active_messages', value: 10, limit: 0, fired: false },
      ],
    })
    expect(decide({ budgetTokens: 1_300 })).toMatchObject({ should: true, urgency: 'soft' })
    expect(decide({ budgetTokens: 1_000 })).toMatchObject({ should: true, urgency: 'hard', pressure: 1 })
    expect(decide({ maxActiveMessages: 9 })).toMatchObject({ should: true, urgency: 'soft' })
  })
})

describe('a compaction plan', () => {
  it('lists the first and the last source of each step with their number where that is asked for', () => {
    using memory = remember(talk(10, 100))
    const windows = new KeptWindow(memory.db, createTokenEstimator())
    const planner = new CompactionPlanner(windows, readSettings({}).compaction)
    const asked = input({ settings: { ...small, condensedMinFanout: 2, minMessagesToCompact: 8 } })
    const { steps, sourceCounts } = CompactionPlan.parse(planner.planWith({ ...asked, sources: 'ends' }))
    expect(steps.map((step) => [step.sources, step.sourceCount])).toEqual([
      [['msg_1', 'msg_4'], 4],
      [['msg_5', 'msg_8'], 4],
      [['step_0', 'step_1'], 2],
    ])
    expect(sourceCounts).toEqual({ messages: 8, summaries: 0, planned: 2 })
    expect(planner.planWith({ ...asked, sources: 'all' })).toEqual(planner.plan(asked))
  })

  it('lists every step with its sources, and writes nothing', () => {
    using memory = remember(talk(10, 100))
    const before = [canonicalRows(memory.db), windowOf(memory.db, 1), memory.db.dataVersion()]
    const plan = CompactionPlan.parse(
      engineOn(memory.db, { settings: { ...small, condensedMinFanout: 2, minMessagesToCompact: 8 } }).plan(input()),
    )
    expect(plan).toEqual({
      conversationId: 1,
      mode: 'full',
      steps: [
        {
          pass: 'leaf',
          depth: 0,
          sources: ['msg_1', 'msg_2', 'msg_3', 'msg_4'],
          sourceTokens: 400,
          expectedTokens: 60,
          firstSeq: 0,
          lastSeq: 3,
        },
        {
          pass: 'leaf',
          depth: 0,
          sources: ['msg_5', 'msg_6', 'msg_7', 'msg_8'],
          sourceTokens: 400,
          expectedTokens: 60,
          firstSeq: 4,
          lastSeq: 7,
        },
        {
          pass: 'condensed',
          depth: 1,
          sources: ['step_0', 'step_1'],
          sourceTokens: 120,
          expectedTokens: 60,
          firstSeq: 0,
          lastSeq: 7,
        },
      ],
      modelCalls: 0,
      tokensBefore: 1_000,
      expectedTokensAfter: 260,
      skipped: null,
    })
    expect([canonicalRows(memory.db), windowOf(memory.db, 1), memory.db.dataVersion()]).toEqual(before)
  })

  it('says why there is nothing to do', () => {
    using memory = remember(talk(12))
    const plan = (request: Partial<CompactRequest>): string | null => engineOn(memory.db).plan(input(request)).skipped
    expect(plan({})).toBe(
      'Only 4 messages are eligible: not among the newest 8, not from the system and not yet summarised. At least 10 are needed.',
    )
    expect(plan({ mode: 'condense' })).toBe('No depth has enough neighbouring summaries to condense.')
    expect(plan({ mode: 'untilUnder', targetTokens: 5_000 })).toBe(
      'The window takes 1,200 tokens, which is not above the goal of 5,000.',
    )
  })
})
