import { describe, expect, it } from 'vitest'
import { Attempt } from '#core/contract/time-travel.ts'
import { type Summarizer, SummarizerFailure } from '#core/models/summarizers/summarizer.ts'
import { expectLossless, expectSoundGraph } from './invariants.ts'
import { compact, says } from './run-compaction.ts'
import { remember, small, talk } from './talk.ts'

describe('a hostile summariser', () => {
  const hostile = (answer: (sourceTokens: number) => string | Promise<string>): Summarizer => ({
    name: 'hostile',
    levels: ['normal', 'aggressive'],
    model: 'm',
    promptVersion: () => 'p1',
    summarize: async ({ sourceTokens }) => says(await answer(sourceTokens)),
  })
  const runWith = async (summarizer: Summarizer) => {
    const memory = remember(talk(42))
    const { result: run } = await compact(
      memory.db,
      { summarizer: 'hostile' },
      { settings: small, summarizers: [summarizer] },
    )
    return { memory, run }
  }

  it.each<[string, (sourceTokens: number) => string | Promise<string>]>([
    ['fails', () => Promise.reject(new Error('no network'))],
    ['answers nothing', () => '  \n '],
    ['answers ten times too much', (sourceTokens) => 'word '.repeat(sourceTokens * 10)],
    ['answers exactly as much', (sourceTokens) => '中'.repeat(Math.ceil(sourceTokens / 1.5))],
  ])('is replaced by the deterministic one when it %s', async (_name, answer) => {
    const { memory, run } = await runWith(hostile(answer))
    expect(run.created.every(({ level }) => level === 'deterministic')).toBe(true)
    expectLossless(memory.db, 1)
    expectSoundGraph(memory.db)
    memory.close()
  })

  it('is recorded with every call, level, model and prompt when its second level answers well', async () => {
    let calls = 0
    const atSecondLevel: Summarizer = {
      ...hostile(() => ''),
      summarize: async ({ level }) => {
        calls += 1
        return { text: level === 'normal' ? ' ' : `Summary ${calls}.\ud800`, inputTokens: 100, outputTokens: 5 }
      },
    }
    const { memory, run } = await runWith(atSecondLevel)
    expect(run.created.every(({ level }) => level === 'aggressive')).toBe(true)
    expect(memory.db.get('SELECT level, model, prompt_version, content FROM summaries')).toEqual({
      level: 'aggressive',
      model: 'm',
      prompt_version: 'p1',
      content: expect.stringMatching(/^Summary \d+\.\ufffd$/),
    })
    const attempts = JSON.parse(memory.db.value<string>('SELECT attempts FROM compaction_events') ?? '')
    expect(attempts.map((attempt: unknown) => Attempt.parse(attempt))).toMatchObject([
      { summarizer: 'hostile', level: 'normal', model: 'm', promptVersion: 'p1', tokens: 0, outcome: 'empty' },
      { summarizer: 'hostile', level: 'aggressive', outcome: 'accepted', reason: null },
    ])
    expect(memory.db.get('SELECT model_input_tokens, model_output_tokens, model_cost FROM compaction_runs')).toEqual({
      model_input_tokens: 100 * calls,
      model_output_tokens: 5 * calls,
      model_cost: null,
    })
    memory.close()
  })

  it('is recorded with its own reason, and never with the text of an error', async () => {
    const reasons = [new SummarizerFailure('spend_cap', 'The cap is reached.'), new TypeError('SECRET of the user')]
    const failing = hostile(() => Promise.reject(reasons.pop()))
    const { memory } = await runWith(failing)
    const first = memory.db.value<string>('SELECT attempts FROM compaction_events') ?? ''
    expect(JSON.parse(first)).toMatchObject([
      { outcome: 'failed', reason: 'The summariser failed with TypeError.' },
      { level: 'aggressive' },
      { summarizer: 'deterministic', level: 'deterministic', outcome: 'accepted' },
    ])
    expect(JSON.stringify(memory.db.all('SELECT * FROM compaction_events'))).not.toContain('SECRET')
    memory.close()
  })

  it('is given up once and not asked again when it never answers and ignores its signal', async () => {
    let calls = 0
    const silent: Summarizer = {
      ...hostile(() => ''),
      summarize: () => {
        calls += 1
        return new Promise(() => {})
      },
    }
    const memory = remember(talk(42))
    const { result: run } = await compact(
      memory.db,
      { summarizer: 'hostile' },
      { settings: { ...small, leafConcurrency: 3 }, summarizers: [silent], bounds: { callMs: 30 } },
    )
    expect(calls).toBe(3)
    expect(run.stopReason).toBe('all_compacted')
    expect(run.created.every(({ level }) => level === 'deterministic')).toBe(true)
    const outcomes = memory.db
      .column<string>('SELECT attempts FROM compaction_events ORDER BY event_id')
      .map((attempts) => JSON.parse(attempts).map(({ outcome }: Attempt) => outcome))
    expect(outcomes[0]).toEqual(['timeout', 'circuit_open', 'accepted'])
    expect(outcomes.at(-1)).toEqual(['circuit_open', 'circuit_open', 'accepted'])
    expectLossless(memory.db, 1)
    memory.close()
  })
})
