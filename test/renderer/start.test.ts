import { describe, expect, it } from 'vitest'
import {
  byDepth,
  compressionOf,
  depthName,
  inheritedPart,
  layersText,
  leftOutText,
  standsForText,
  windowParts,
  withShares,
} from '#renderer/features/start/start-figures.ts'
import { pressureState } from '#renderer/ui/charts/pressure-bar.tsx'
import { stopReasonText } from '#renderer/ui/texts/job-text.ts'
import { dueText, roomText } from '#renderer/ui/texts/room-text.ts'

describe('the start page', () => {
  it('says when a compaction is due, in turns where their size is known', () => {
    const room = {
      activeTokens: 50_883,
      leftOutTokens: 0,
      budgetTokens: 200_000,
      softThreshold: 0.75,
      hardThreshold: 1,
    }
    expect(dueText(room, 43)).toBe('the next compaction is due at 150,000 tokens, in about 43\u00a0turns')
    expect(dueText(room, null)).toBe('the next compaction is due at 150,000 tokens, 99,117 tokens from here')
    expect(dueText({ ...room, activeTokens: 160_000 }, null)).toBe(roomText({ ...room, activeTokens: 160_000 }))
  })

  it('counts what stands in the window, without what is left out', () => {
    const run = { x0: 0, x1: 1, id: null }
    const parts = windowParts({
      window: [
        { ...run, depth: 0, items: 1, tokens: 30 },
        { ...run, depth: 2, items: 1, tokens: 50 },
        { ...run, depth: -1, items: 9, tokens: 400, isLeftOut: true },
        { ...run, depth: -1, items: 4, tokens: 200 },
      ],
    })
    expect(parts).toMatchObject({ summaries: 2, messages: 4, summaryTokens: 80, messageTokens: 200 })
    expect(parts.byDepth.map(({ depth }) => depth)).toEqual([2, 0, -1])
  })

  it('says what is left out of a window that has room for it', () => {
    const window = { activeTokens: 1539, leftOutItems: 5, leftOutTokens: 840 }
    expect(leftOutText(window, 200_000)).toBe('5\u00a0items with 840\u00a0tokens are left out')
    expect(leftOutText({ ...window, leftOutItems: 1 }, 200_000)).toBe('1\u00a0item with 840\u00a0tokens is left out')
    expect(leftOutText({ ...window, leftOutItems: 0, leftOutTokens: 0 }, 200_000)).toBe(null)
    // The line about the next compaction says it there.
    expect(leftOutText(window, 1000)).toBe(null)
  })

  it('tells what a fork has from before it from what it has of its own', () => {
    const own = { summaries: 1, messages: 2, summaryTokens: 30, messageTokens: 40 }
    const inWindow = { contextItems: 9, leftOutItems: 1, contextTokens: 170 }
    expect(inheritedPart(own, inWindow)).toEqual({ items: 5, tokens: 100 })
    expect(inheritedPart(own, { ...inWindow, contextItems: 4, contextTokens: 70 })).toBe(null)
    expect(inheritedPart(own, { ...inWindow, contextTokens: null })).toBe(null)
  })

  it('names the layers from the messages up', () => {
    const summaries = { depth: [0, 0, 1, 0] }
    expect(layersText({ totalMessages: 377, summaries } as Parameters<typeof layersText>[0])).toBe(
      '377\u00a0messages → 3\u00a0first\u00a0summaries → 1'.replace('first\u00a0', 'first '),
    )
  })

  it('says how far it is to the next threshold', () => {
    const room = (activeTokens: number, leftOutTokens = 0) =>
      roomText({ activeTokens, leftOutTokens, budgetTokens: 200_000, softThreshold: 0.75, hardThreshold: 1 })
    expect(room(124_310)).toBe('a compaction is due in 25,690 tokens')
    expect(room(160_000)).toBe('a compaction is due, and must come within 40,000 tokens')
    expect(room(200_457)).toBe('must be compacted: 457 tokens too many')
    // A result without its call is left out, however much room there is.
    expect(room(124_310, 424)).toBe('a compaction is due in 25,690 tokens')
    expect(room(341_904, 150_247)).toBe('341,904 tokens want in, 191,657 fit into 200,000, 150,247 are left out')
    expect(room(341_904, 1904)).toBe(
      '341,904 tokens want in, 340,000 stay although the budget is 200,000, 1,904 are left out',
    )
  })

  it('colours the pressure from the threshold on, not only above it', () => {
    expect([0.74, 0.75, 0.99, 1].map((pressure) => pressureState(pressure, 0.75, 1))).toEqual([
      'calm',
      'soft',
      'soft',
      'hard',
    ])
  })

  const row = (key: string, tokens: number, sourceTokens: number | null = null) => ({
    key,
    count: 1,
    tokens,
    sourceTokens,
  })

  it('orders depths as the strata do', () => {
    expect(byDepth([row('0', 1), row('10', 1), row('2', 1)]).map(({ key }) => key)).toEqual(['10', '2', '0'])
    expect(depthName('0')).toBe('first summary')
    expect(depthName('2')).toBe('depth 2')
  })

  it('divides all tokens into shares, also when there are none', () => {
    expect(withShares([row('user', 1), row('tool', 3)], (key) => key).map(({ share }) => share)).toEqual([0.25, 0.75])
    expect(withShares([row('user', 0)], (key) => key)[0]?.share).toBe(0)
  })

  it('says that a layer stands for no more than is stored', () => {
    expect(standsForText(row('0', 10, 341_904), 400_000)).toBe('342\u00a0k')
    expect(standsForText(row('0', 10, 2_600_000), 342_000)).toBe('342\u00a0k, counted once')
    expect(standsForText(row('0', 10), 342_000)).toBe('–')
  })

  it('claims no compression that is unknown', () => {
    expect(compressionOf(row('0', 10, 100))).toBe(10)
    expect(compressionOf(row('0', 10))).toBeNull()
    expect(compressionOf(row('0', 0, 100))).toBeNull()
  })

  it('explains the stop reasons of this app and shows those of other systems as stored', () => {
    expect(stopReasonText('nothing_eligible')).toBe('nothing could be compacted')
    expect(stopReasonText('toString')).toBe('toString')
  })
})
