import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toBuckets } from '#renderer/features/strata/buckets.ts'
import { drawStrata } from '#renderer/features/strata/draw-strata.ts'
import { figuresOf, figuresText, snapRange, sumsText } from '#renderer/features/strata/range-figures.ts'
import { parseRange, rangeText } from '#renderer/ui/data/range-address.ts'
import { depthCounts } from '#renderer/ui/nodes/depth-color.ts'
import { messageColumns, sceneOf, strataOf } from './strata-builder.ts'

describe('the marked range in the address', () => {
  it('is given back as it was written', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (first, more) => {
        expect(parseRange(rangeText({ first, last: first + more }))).toEqual({ first, last: first + more })
      }),
    )
  })

  it('counts messages from 1, as they are shown', () => expect(rangeText({ first: 58, last: 97 })).toBe('59-98'))

  it('is none when it is no range', () => {
    for (const text of [null, '', '9-3', '0-4', 'a-b', '1-2-3', '-1-4']) expect(parseRange(text)).toBeNull()
  })
})

describe('the figures of a range', () => {
  const strata = strataOf(
    [
      { depth: 1, x0: 0, x1: 50 },
      { depth: 0, x0: 0, x1: 25 },
      { depth: 0, x0: 25, x1: 50 },
    ],
    { extent: 100 },
  )
  const shown = {
    summaries: strata.summaries,
    findings: [{ id: 'msg_31', severity: 'warning' as const, label: 'token drift', x0: 30, x1: 31, entry: null }],
    detail: null,
    overview: toBuckets(messageColumns(0, 100), { x0: 0, x1: 100 }),
  }

  it('count its messages, their tokens, the summaries that reach into it, and the findings in it', () => {
    expect(figuresOf({ x0: 20, x1: 40 }, shown)).toMatchObject({
      messages: 20,
      tokens: 2000,
      summaries: [
        { depth: 1, count: 1 },
        { depth: 0, count: 2 },
      ],
      findings: [{ id: 'msg_31' }],
    })
    expect(figuresOf({ x0: 60, x1: 70 }, shown)).toMatchObject({ messages: 10, summaries: [], findings: [] })
  })

  it('are the same in fine columns and in coarse ones', () => {
    const detail = toBuckets(messageColumns(10, 60), { x0: 10, x1: 60 })
    expect(figuresOf({ x0: 20, x1: 40 }, { ...shown, detail })).toEqual(figuresOf({ x0: 20, x1: 40 }, shown))
  })

  it('stand in the drawing as words', () => {
    const figures = { ...figuresOf({ x0: 20, x1: 80 }, shown), details: { all: 122, kept: 29 } }
    const { frame } = drawStrata(sceneOf(strata, { range: { x0: 20, x1: 80, figures } }))
    const words = frame.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []))
    expect(words).toContain(figuresText(figures))
    expect(figuresText(figures).replaceAll('\u00a0', ' ')).toBe(
      '60 messages · 6,000 tokens · 3 summaries · 1 finding · 93 details lost',
    )
  })

  it('name the summaries of each depth, leaves first', () => {
    const { summaries } = figuresOf({ x0: 20, x1: 40 }, shown)
    expect(depthCounts(summaries).replaceAll('\u00a0', ' ')).toBe('2 first summaries, 1 at depth 1')
    expect(depthCounts([{ depth: 0, count: 1 }]).replaceAll('\u00a0', ' ')).toBe('1 first summary')
  })

  it('stand above the drawing with what they are a part of', () => {
    const figures = { ...figuresOf({ x0: 20, x1: 40 }, shown), details: { all: 122, kept: 29 } }
    const whole = { totalMessages: 100, totalTokens: 10_000 }
    const said = (more: Partial<typeof figures>) =>
      sumsText({ ...figures, ...more }, { first: 19, last: 38 }, whole).replaceAll('\u00a0', ' ')
    expect(said({})).toBe(
      'messages 20 – 39 of 100 · 20 messages · 2,000 of 10,000 tokens · 2 first summaries, 1 at depth 1 · 93 of 122 details outside the window lost',
    )
    expect(said({ details: { all: 0, kept: 0 }, summaries: [] })).toMatch(/tokens · no details outside the window$/)
  })

  it('take the place of the caption of the fresh tail where both would stand', () => {
    const tailed = { ...strata, freshTailX: 70 }
    const figures = figuresOf({ x0: 60, x1: 90 }, shown)
    const wordsWith = (range: { x0: number; x1: number } | null) =>
      drawStrata(sceneOf(tailed, { range: range && { ...range, figures } })).frame.flatMap((shape) =>
        shape.kind === 'text' ? [shape.text] : [],
      )
    expect(wordsWith(null)).toContain('newest messages')
    expect(wordsWith({ x0: 60, x1: 90 })).not.toContain('newest messages')
  })
})

describe('a dragged range', () => {
  it('is widened to whole messages within the conversation', () => {
    const strata = strataOf([], { extent: 100 })
    expect(snapRange({ x0: -3, x1: 10.2 }, strata)).toEqual({ x0: 0, x1: 11 })
    expect(snapRange({ x0: 90.7, x1: 140 }, strata)).toEqual({ x0: 90, x1: 100 })
  })
})
