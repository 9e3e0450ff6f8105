import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PROBE_STATES } from '#core/contract/lists.ts'
import { GivenQuestion, type NamedProbe, type ProbedQuestion, type ProbeState } from '#core/contract/probe.ts'
import type { ProviderInfo } from '#core/contract/provider.ts'
import { addressedPoint, courseOf, pointAddress, type TimePoint } from '#renderer/features/context/moments.ts'
import { readGiven } from '#renderer/features/probe/given-questions.ts'
import { type ProbeRow, rowsOf, shownRows } from '#renderer/features/probe/probe-rows.ts'
import { inOrder, PROBE_SIGNS, recoveryText } from '#renderer/features/probe/probe-wording.ts'
import { tracedOf } from '#renderer/features/probe/traced-question.ts'
import { barsPath, laneRows } from '#renderer/features/strata/lane-rows.ts'
import { NO_PROBE, PROBE_SORTS } from '#renderer/probe-address.ts'
import { windowOf, windowOptions } from '#renderer/ui/data/window-choice.ts'
import { recallText } from '#renderer/ui/texts/recall-text.ts'

const question = (state: ProbeState, more: Partial<ProbedQuestion> = {}): ProbedQuestion => ({
  ...{ question: 'Which number?', kind: 'number', state, steps: null, answer: '4', instead: null, query: 'number' },
  ...{ evidence: null, hit: null, expand: [], depth: null, ...more },
})

const provider = (name: string, kind: ProviderInfo['kind']): ProviderInfo => ({
  ...{ name, kind, baseUrl: 'http://127.0.0.1:1/v1', model: 'm', keyVariable: null, timeoutMs: 1000 },
  ...{ maxOutputTokens: 100, inputPrice: null, outputPrice: null, keySource: 'none' },
})

const named = (name: string, states: readonly ProbeState[], atMs: number | null = null): NamedProbe => ({
  name,
  report: {
    ...{ conversationId: 1, atMs, reconstructed: false, questions: states.map((state) => question(state)) },
    total: { questions: 0, inWindow: 0, bySearch: 0, byExpanding: 0, changed: 0, dropped: 0, recall: 0 },
    ...{ byKind: [], byDepth: [], recall: 0, notes: [], tookMs: 0 },
  },
})

const anyState = fc.constantFrom(...PROBE_STATES)
const anyRow: fc.Arbitrary<ProbeRow> = fc.record({
  number: fc.nat({ max: 500 }),
  asked: fc
    .record({
      state: anyState,
      steps: fc.option(fc.nat({ max: 4 })),
      depth: fc.option(fc.integer({ min: -1, max: 3 })),
    })
    .map(({ state, ...more }) => question(state, more)),
  states: fc.array(anyState, { minLength: 1, maxLength: 2 }),
  isChanged: fc.boolean(),
})

describe('the table of a probe', () => {
  it('shows every row that its filters ask for once, whatever it is sorted by, and equal rows in their order', () => {
    const rows = fc.uniqueArray(anyRow, { selector: ({ number }) => number })
    const states = fc.uniqueArray(anyState)
    fc.assert(
      fc.property(rows, states, fc.constantFrom(...PROBE_SORTS), fc.boolean(), (all, wanted, sort, isDescending) => {
        const shown = shownRows(all, { ...NO_PROBE, states: wanted, sort, isDescending })
        const kept = all.filter(({ asked }) => wanted.length === 0 || wanted.includes(asked.state))
        expect(shown.map(({ number }) => number).toSorted()).toEqual(kept.map(({ number }) => number).toSorted())
        if (sort === 'kind')
          expect(shown.map(({ number }) => number)).toEqual(kept.map(({ number }) => number).toSorted((a, b) => a - b))
      }),
    )
  })

  it('shows the windows in the order in which they stood, and which answers differ between them', () => {
    const now = named('now', ['in_window', 'dropped'])
    const then = named('at msg_3', ['in_window', 'in_window'], 1000)
    const tried = named('after a compaction', ['in_window', 'dropped'])
    const shown = inOrder([now, tried, then])
    expect(shown.map(({ name }) => name)).toEqual(['at msg_3', 'now', 'after a compaction'])
    expect(rowsOf(now, shown).map(({ states, isChanged }) => [states.join(' '), isChanged])).toEqual([
      ['in_window in_window in_window', false],
      ['in_window dropped dropped', true],
    ])
  })

  it('has a sign of its own for each state, and says in words how each answer is had', () => {
    expect(new Set(Object.values(PROBE_SIGNS)).size).toBe(PROBE_STATES.length)
    expect(recoveryText(question('by_search', { steps: 2, expand: ['sum_1'] }))).toBe(
      '2\u00a0steps: search “number”, then expand 1\u00a0summary.',
    )
    expect(recoveryText(question('by_expanding', { steps: 2, expand: ['sum_2', 'sum_1'] }))).toContain(
      'expand sum_2, then sum_1',
    )
    expect(recoveryText(question('changed', { instead: 'five' }))).toBe('The window says: “five”')
  })
})

it('the trace of a question follows its answer, and its sentence where the answer is too short to be told apart', () => {
  const evidence = { id: 'msg_1', role: null, seq: 0, position: 0, atMs: null, text: 'We take 2 of them.' }
  const traced = (answer: string | null) => tracedOf(1, question('by_search', { answer, evidence }))?.query
  expect([traced('PAY-1187'), traced('2'), traced(null)]).toEqual(['PAY-1187', evidence.text, evidence.text])
  expect(tracedOf(1, question('dropped'))).toBeNull()
})

it('the sum of a probe calls what is changed no more lost than its answers do', () => {
  const sum = { questions: 60, inWindow: 41, bySearch: 18, byExpanding: 0, changed: 1, dropped: 0 }
  expect(recallText(sum)).toMatch(/· 1\.7\s% lost or changed$/)
  expect(recallText({ ...sum, changed: 0, dropped: 1 })).toMatch(/· 1\.7\s% lost$/)
})

describe('questions of the user', () => {
  it('are one a line, in plain words or as JSON', () => {
    const text = '\ufeffWhat is the limit?\r\n\n{"question":"Why?","answer":"gateway","evidence":["msg_1"],"more":1}\n'
    expect(readGiven(text)).toEqual({
      questions: [{ question: 'What is the limit?' }, { question: 'Why?', answer: 'gateway', evidence: ['msg_1'] }],
    })
  })

  it('are always such that the core takes them, or the line that is none is named', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.json({ maxDepth: 2 }),
      fc
        .record({ question: fc.string(), answer: fc.option(fc.string(), { nil: undefined }) })
        .map((one) => JSON.stringify(one)),
    )
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const given = readGiven(lines.join('\n'))
        if ('problem' in given) expect(given.problem).toMatch(/^Line \d+ /)
        else for (const one of given.questions) expect(GivenQuestion.parse(one)).toEqual(one)
      }),
    )
  })
})

describe('what a probe is compared with', () => {
  const presets = [{ name: 'pi-lcm', label: 'pi-lcm' }] as const
  const moment = { messageId: 'msg_3' }

  it('is a window that the core knows for every choice of the list, and none for nothing', () => {
    for (const { value } of windowOptions(presets, { providers: [provider('mine', 'anthropic')] })) {
      const window = windowOf(value === '' ? null : value === 'moment' ? 'message-3' : value, moment, presets)
      expect(window === null, value).toBe(value === '')
    }
    expect(windowOf('summarizer:mine', null, presets)).toEqual({ after: { summarizer: 'mine' } })
    expect(windowOf('message-3', null, presets)).toBeNull()
    expect(windowOf('preset:none', null, presets)).toBeNull()
  })

  it('is no compaction by a model that only makes vectors', () => {
    const providers = [provider('writer', 'openai-compatible'), provider('encoder', 'openai-embeddings')]
    const values = windowOptions([], { providers }).map(({ value }) => value)
    expect(values).toContain('summarizer:writer')
    expect(values).not.toContain('summarizer:encoder')
  })

  it('keeps each moment in the address, and takes what does not exist for now', () => {
    const events = [4, 9].map((messages, index) => ({ eventId: 70 + index, messages, removed: 3 }))
    const timeline = { messages: 12, events } as never
    const course = courseOf(timeline)
    const points: readonly TimePoint[] = [
      { kind: 'now' },
      { kind: 'event', index: 1 },
      { kind: 'message', position: 0 },
      { kind: 'message', position: 11 },
    ]
    for (const point of points) expect(addressedPoint(pointAddress(point, timeline), timeline, course)).toEqual(point)
    for (const text of ['event-3', 'message-13', 'message-0', 'yesterday', null])
      expect(addressedPoint(text, timeline, course)).toEqual({ kind: 'now' })
  })
})

it('the lane of a probe shows the window and then each depth, the deepest first, and leaves nothing out', () => {
  const summaries = {
    ...{ id: ['a', 'b', 'c', 'd'], depth: [0, 0, 0, 1], x0: [0, 1, 50, 0], x1: [1, 2, 100, 100] },
  } as never
  const window = [{ x0: 0, x1: 100, id: 'd', depth: 1, items: 1, tokens: 1 }]
  const rows = laneRows({ summaries, window }, { x0: 0, x1: 100, left: 0, width: 100 })
  expect(rows.map(({ name }) => name)).toEqual(['window', 'depth 1', 'first summary'])
  expect(rows[2]?.runs.reduce((sum, { first, last }) => sum + last - first + 1, 0)).toBe(3)
})

it('the bars of a lane have round corners, which a narrow bar has no room for', () => {
  const run = { first: 0, last: 0, px0: 10, px1: 21 }
  expect(barsPath([run], 4, 12, 2)).toBe('M12 4h6a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-6a2 2 0 0 1 -2 -2v-8a2 2 0 0 1 2 -2Z')
  expect(barsPath([run, { ...run, px1: 11 }], 4, 12, 2).split('Z')[1]).toMatch(/^M10\.75 4h0a0\.75 2 /)
})
