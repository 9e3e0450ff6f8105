import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ContextItem } from '#core/contract/context.ts'
import { categoryOf, sumsByCategory } from '#renderer/features/context/category.ts'
import { pathsByCategory, ribbonScale, segmentAt, segmentsOf } from '#renderer/features/context/ribbon.ts'
import { roomUntilSoft } from '#renderer/ui/texts/room-text.ts'
import { contextItem, contextOf } from './context-items.ts'

const anyItem = fc
  .record({
    tokens: fc.oneof(fc.nat(3), fc.nat(50_000)),
    included: fc.boolean(),
    depth: fc.option(fc.nat(4), { nil: null }),
  })
  .map(({ tokens, included, depth }): ContextItem => {
    return contextItem({
      tokens,
      included,
      depth,
      kind: depth === null ? 'message' : depth === 0 ? 'leaf' : 'condensed',
    })
  })

describe('the ribbon of a window', () => {
  it('accounts for every included item and token in order, for items of any size', () => {
    fc.assert(
      fc.property(fc.array(anyItem), fc.integer({ min: 1, max: 2000 }), (items, width) => {
        const included = items.filter((item) => item.included)
        const tokens = included.reduce((sum, item) => sum + item.tokens, 0)
        const segments = segmentsOf(items, width, Math.max(1, tokens))
        expect(segments.reduce((sum, segment) => sum + segment.items, 0)).toBe(included.length)
        expect(segments.reduce((sum, segment) => sum + segment.tokens, 0)).toBe(tokens)
        for (const [index, segment] of segments.entries()) {
          expect(segment.x0).toBeCloseTo(segments[index - 1]?.x1 ?? 0, 6)
          expect(segment.first).toBeGreaterThan(segments[index - 1]?.last ?? -1)
        }
      }),
    )
  })

  it('draws no segment narrower than a pixel unless it is the only one', () => {
    fc.assert(
      fc.property(fc.array(anyItem), fc.integer({ min: 1, max: 2000 }), (items, width) => {
        const segments = segmentsOf(items, width, 100_000)
        if (segments.length > 1) for (const { x0, x1 } of segments) expect(x1 - x0).toBeGreaterThan(0.999)
      }),
    )
  })

  it('keeps wide items apart and names a merged segment after its largest item', () => {
    const items = [1000, 1, 2, 1, 1000].map((tokens) => contextItem({ tokens }))
    const segments = segmentsOf(items, 100, 2004)
    expect(segments.map(({ items: count, main }) => [count, main])).toEqual([
      [1, 0],
      [4, 4],
    ])
  })

  it('does not draw items that were left out of the window', () => {
    const items = [contextItem({ tokens: 10 }), contextItem({ tokens: 90, included: false })]
    expect(segmentsOf(items, 100, 100).map(({ tokens }) => tokens)).toEqual([10])
  })

  it('finds the segment under a point, and none past the end', () => {
    const segments = segmentsOf([contextItem({ tokens: 40 }), contextItem({ tokens: 10 })], 100, 100)
    expect(segmentAt(segments, 0)?.main).toBe(0)
    expect(segmentAt(segments, 39.9)?.main).toBe(0)
    expect(segmentAt(segments, 40)?.main).toBe(1)
    expect(segmentAt(segments, 50)).toBeNull()
  })

  it('ends at the budget, or further right when the window or the hard threshold is beyond it', () => {
    expect(ribbonScale({ tokens: 10, budget: 200, hardThreshold: 1 })).toBe(200)
    expect(ribbonScale({ tokens: 300, budget: 200, hardThreshold: 1 })).toBe(300)
    expect(ribbonScale({ tokens: 10, budget: 200, hardThreshold: 1.2 })).toBe(240)
  })

  it('draws all boxes of a category as one path', () => {
    const items = [contextItem({ role: 'user' }), contextItem({ role: 'tool' }), contextItem({ role: 'user' })]
    const paths = pathsByCategory(segmentsOf(items, 90, 30), 40)
    expect([...paths.keys()]).toEqual(['user', 'tool'])
    expect(paths.get('user')?.match(/M/g)).toHaveLength(2)
  })
})

describe('the legend of the ribbon', () => {
  it('adds up the included tokens of each category, the deepest summaries first', () => {
    const sums = sumsByCategory([
      contextItem({ role: 'system', tokens: 5 }),
      contextItem({ kind: 'condensed', role: null, depth: 2, tokens: 20 }),
      contextItem({ kind: 'leaf', role: null, depth: 0, tokens: 7 }),
      contextItem({ role: 'user', tokens: 1 }),
      contextItem({ role: 'user', tokens: 2 }),
      contextItem({ role: 'tool', tokens: 50, included: false }),
    ])
    expect(sums.map(({ label, tokens }) => [label, tokens])).toEqual([
      ['system', 5],
      ['depth 2', 20],
      ['depth 1', 0],
      ['first summaries', 7],
      ['user', 3],
    ])
  })

  it('puts an item whose message or summary does not exist into a category of its own', () => {
    expect(categoryOf(contextItem({ kind: 'missing', role: null }))).toBe('missing')
  })
})

describe('room until the soft threshold', () => {
  it('is shown in tokens, and in turns when there are enough turns to know the pace', () => {
    const turn = [contextItem({ role: 'user', tokens: 10 }), contextItem({ role: 'assistant', tokens: 90 })]
    const window = contextOf({
      items: [...turn, ...turn, ...turn],
      activeTokens: 300,
      budget: 2000,
      softThreshold: 0.75,
    })
    expect(roomUntilSoft(window)).toEqual({ tokens: 1200, turns: 12 })
    expect(roomUntilSoft({ ...window, items: turn })).toEqual({ tokens: 1200, turns: null })
  })

  it('is negative past the threshold, and has no number of turns then', () => {
    expect(roomUntilSoft(contextOf({ activeTokens: 160, budget: 200, softThreshold: 0.75 }))).toEqual({
      tokens: -10,
      turns: null,
    })
  })
})
