import { describe, expect, it } from 'vitest'
import type { FactPlace, FactTrace, Rung } from '#core/contract/trace.ts'
import { shaftOf, sliceOf } from '#renderer/features/trace/shaft.ts'
import { beforeMark, shownExcerpt, tellingAlone, verdictOf } from '#renderer/features/trace/trace-wording.ts'
import { overallVerdict } from '#renderer/ui/parts/overall-verdict-line.tsx'
import { messageColumns, strataOf } from './strata-builder.ts'

const rung = (kind: Rung['kind'], firstSeq: number | null, lastSeq: number | null): Rung => ({
  ...{ id: kind === 'window' ? null : `${kind}_1`, kind, depth: 0, role: null, seq: null, state: 'kept', kept: 1 },
  ...{ details: 1, runId: null, run: null, atMs: null, inWindow: false, tokens: 0, messages: 1, firstSeq, lastSeq },
  ...{ sources: 0, title: '', excerpt: '', field: null, marks: [], lost: [] },
})

describe('the shaft of a trace', () => {
  it('places each rung over the messages of the top node, the window first', () => {
    const { bars, foot } = shaftOf(
      [rung('message', 50, 50), rung('leaf', 40, 59), rung('condensed', 0, 99), rung('window', null, null)],
      null,
      undefined,
    )
    expect(bars).toEqual([
      { from: 0, to: 1 },
      { from: 0, to: 1 },
      { from: 0.4, to: 0.6 },
      { from: 0.5, to: 0.6 },
    ])
    expect(foot).toEqual(bars[3])
  })

  it('stays within its width for one message at the very end, and for a ladder without positions', () => {
    for (const { from, to } of shaftOf([rung('message', 9, 9), rung('leaf', 0, 9)], null, undefined).bars) {
      expect(from).toBeGreaterThanOrEqual(0)
      expect(to).toBeLessThanOrEqual(1.0001)
    }
    expect(shaftOf([rung('message', null, null)], null, undefined).bars).toEqual([{ from: 0, to: 1 }])
    expect(shaftOf([], null, undefined).bars).toEqual([])
  })
})

describe('an excerpt in the narrow list of places', () => {
  it('is prose without signs of Markdown, and its marks stay on their words; what a tool says is as it is', () => {
    const excerpt = '- **Rejected**: expiring claims (PAY-1187)'
    const { text, matches } = shownExcerpt({ excerpt, marks: [[33, 41]], field: 'content', role: 'assistant' })
    expect(text).toBe('- Rejected: expiring claims (PAY-1187)')
    expect(text.slice(...(matches[0] ?? []))).toBe('PAY-1187')
    expect(shownExcerpt({ excerpt, marks: [], field: 'tool_output', role: 'tool' }).text).toBe(excerpt)
  })

  it('shows the input of a tool without its escapes, also where it begins in the middle of a text', () => {
    const whole = String.raw`{"path":"notes.md","text":"The ticket\nis \"PAY-1187\""}`
    const { text, matches } = shownExcerpt({
      excerpt: whole,
      marks: [[whole.indexOf('PAY'), whole.indexOf('PAY') + 8]],
      field: 'tool_input',
      role: 'assistant',
    })
    expect(text).toBe('{"path":"notes.md","text":"The ticket is "PAY-1187""}')
    expect(text.slice(...(matches[0] ?? []))).toBe('PAY-1187')
    const middle = String.raw`of leases\n- [x] expiring claims\n- [ ] locks`
    expect(shownExcerpt({ excerpt: middle, marks: [], field: 'tool_input', role: 'assistant' }).text).toBe(
      'of leases - [x] expiring claims - [ ] locks',
    )
    const prose = String.raw`A line ends with \n.`
    expect(shownExcerpt({ excerpt: prose, marks: [], field: 'content', role: 'assistant' }).text).toBe(prose)
  })

  it('begins shortly before its first mark, also after a word that is longer than its two lines', () => {
    const { text, matches } = beforeMark({
      text: `${'x'.repeat(60)}PAY-1187 and PAY-1188`,
      matches: [
        [60, 68],
        [73, 81],
      ],
    })
    expect(text).toBe(`…${'x'.repeat(24)}PAY-1187 and PAY-1188`)
    expect(matches.map(([from, to]) => text.slice(from, to))).toEqual(['PAY-1187', 'PAY-1188'])
    const words = beforeMark({
      text: 'It was said long before the retries that the ticket is PAY-1187.',
      matches: [[55, 63]],
    })
    expect(words.text.slice(...(words.matches[0] ?? []))).toBe('PAY-1187')
    expect(words.text.length).toBeLessThan(40)
  })

  it('stays as it is where its first mark is seen anyway', () => {
    expect(beforeMark({ text: 'The ticket is PAY-1187.', matches: [[14, 22]] })).toEqual({
      text: 'The ticket is PAY-1187.',
      matches: [[14, 22]],
    })
    expect(beforeMark({ text: 'Without a mark', matches: [] })).toEqual({ text: 'Without a mark', matches: [] })
  })
})

describe('the neighbours of a trace', () => {
  // Twenty messages under the top node, which begins at the tenth; leaves of five messages.
  const leaves = [0, 5, 10, 15, 20, 25, 30].map((x0) => ({ depth: 0, x0, x1: x0 + 5 }))
  const strata = strataOf([...leaves, { depth: 1, x0: 0, x1: 10 }, { depth: 1, x0: 10, x1: 30 }])
  const idOf = (depth: number, at: number) =>
    strata.summaries.id[
      strata.summaries.x0.findIndex((x0, entry) => strata.summaries.depth[entry] === depth && x0 === at)
    ]
  const ladder = [
    { ...rung('message', 16, 16), id: 'msg_18' },
    { ...rung('leaf', 15, 19), id: idOf(0, 15) ?? '' },
    { ...rung('condensed', 10, 29), id: idOf(1, 10) ?? '', depth: 1 },
    rung('window', null, null),
  ]
  const slice = sliceOf(ladder, strata)

  it('are the summaries of each layer under the top node, and its messages', () => {
    const messages = messageColumns(10, 30, (at) => (at === 17 ? 400 : 100))
    const { bars, neighbours, columns } = shaftOf(ladder, slice, messages)
    expect(slice).toMatchObject({ x0: 10, x1: 30 })
    expect(neighbours[2]).toEqual([
      { from: 0, to: 0.25 },
      { from: 0.5, to: 0.75 },
      { from: 0.75, to: 1 },
    ])
    expect([neighbours[0], neighbours[1], neighbours[3]]).toEqual([[], [], []])
    expect(bars[2]).toEqual({ from: 0.25, to: 0.5 })
    // Message 18 is the eighteenth: the eighth of those under the top node.
    expect(bars[3]?.from).toBeCloseTo(0.35)
    expect(columns).toHaveLength(20)
    expect(columns[7]).toMatchObject({ from: 0.35, height: 1 })
    expect(columns[8]?.height).toBe(0.25)
  })

  it('are merged where they are too narrow, and none where the strata do not hold the top node', () => {
    const many = strataOf([
      ...Array.from({ length: 1000 }, (_, x0) => ({ depth: 0, x0, x1: x0 + 1 })),
      { depth: 1, x0: 0, x1: 1000 },
    ])
    const top = { ...rung('condensed', 0, 999), id: many.summaries.id.at(-1) ?? '', depth: 1 }
    const [, beside] = shaftOf(
      [{ ...rung('leaf', 5, 5), id: 'sum_0005' }, top],
      sliceOf([top], many),
      undefined,
    ).neighbours
    expect(beside?.length).toBeLessThan(80)
    expect(beside?.at(-1)?.to).toBe(1)
    expect(sliceOf([{ ...top, id: 'sum_none' }], many)).toBeNull()
    expect(sliceOf(ladder, undefined)).toBeNull()
  })
})

describe('the verdict of a trace', () => {
  const lostAt = { id: 'sum_a', depth: 1, runId: 'run_2', run: 2, atMs: null, sources: 4 }
  const trace = { inWindow: false, lostAt, state: 'dropped', details: [{}], toldAgain: [], ladder: [] }
  const verdict = (patch: object) => verdictOf({ ...trace, ...patch } as unknown as FactTrace, 0)

  it('names the run, and how many summaries became one', () => {
    expect(verdict({})).toEqual({ before: 'Lost at', after: 'by compaction 2, when 4\u00a0summaries became one' })
  })

  it('says what is known where nothing was lost', () => {
    expect(verdict({ lostAt: null, inWindow: true }).before).toBe('All of it stands in the window')
    expect(verdict({ lostAt: null, state: 'partly' }).before).toBe('Some of it stands in the window')
    const leftOut = verdict({ lostAt: null, state: 'left_out' }).before
    expect(leftOut).toBe('It stands in the window, but the model is not given it')
    expect(verdict({ lostAt: null, state: 'unknown' }).before).toBe('It may stand in the window in other words')
    expect(verdict({ details: [] }).before).toBe('Nothing in it can be followed')
  })
})

describe('the verdict over all places', () => {
  const place = (state: FactPlace['state'], day: number, inWindow = false) => ({
    state,
    inWindow,
    createdAtMs: Date.UTC(2026, 2, day),
  })
  const now = Date.UTC(2026, 2, 10)
  const verdict = (...places: ReturnType<typeof place>[]) => overallVerdict(places, now)

  it('is that it is left out where the model is given no place that says it', () => {
    expect(verdict(place('dropped', 1), place('left_out', 2)).state).toBe('left_out')
    expect(verdict(place('left_out', 2), place('kept', 1)).state).toBe('kept')
  })

  it('is that it is known where any place still stands in the window', () => {
    expect(verdict(place('kept', 1))).toEqual({ state: 'kept', text: 'Known: what the model sees says it.' })
    const { state, text } = verdict(place('dropped', 1), place('changed', 2), place('dropped', 6, true))
    expect(state).toBe('kept')
    expect(text).toMatch(/^Known\. Lost 2 times, said again .*Mar 6/)
    expect(verdict(place('dropped', 1), place('kept', 2)).text).toMatch(/^Known\. Lost once/)
  })

  it('is that it is lost, changed, partly known or unknown where none does', () => {
    expect(verdict(place('dropped', 1), place('changed', 2))).toEqual({
      state: 'dropped',
      text: 'Lost in all 2 places: the model no longer sees it.',
    })
    expect(verdict(place('changed', 1)).state).toBe('changed')
    expect(verdict(place('partly', 1), place('dropped', 1)).state).toBe('partly')
    expect(verdict(place('unknown', 1)).state).toBe('unknown')
  })
})

describe('the list of what was lost at the same summary', () => {
  it('leaves out small numbers that say nothing alone', () => {
    const lost = ['1', '42', '8000', 'PAY-1187', '12 ms'].map((text) => ({ detail: { text } }))
    expect(tellingAlone(lost).map(({ detail }) => detail.text)).toEqual(['8000', 'PAY-1187', '12 ms'])
  })
})
