import { describe, expect, it } from 'vitest'
import type { StrataMessages } from '#core/contract/strata.ts'
import {
  fromMapPx,
  mapBars,
  mapScale,
  mapViewport,
  markPlaces,
  toMapPx,
} from '#renderer/features/transcript/minimap-layout.ts'

/** Columns of a conversation of 1,000 messages in ten columns. Message numbers begin at 1. */
const columns: StrataMessages = {
  x0: Array.from({ length: 10 }, (_, index) => index * 100),
  x1: Array.from({ length: 10 }, (_, index) => (index + 1) * 100),
  count: Array.from({ length: 10 }, () => 100),
  tokens: Array.from({ length: 10 }, () => 5_000),
  maxTokens: [10, 100, 1_000, 10_000, 10, 10, 10, 10, 10, 10],
  role: Array.from({ length: 10 }, () => 1),
  inWindow: [0, 0, 0, 0, 0, 0, 0, 0, 50, 100],
  firstMessage: Array.from({ length: 10 }, (_, index) => index * 100 + 1),
}

describe('the map of a transcript', () => {
  it('fills its height with a long conversation, and leaves some of it empty with a short one', () => {
    expect(mapScale(200_000, 600).heightPx).toBe(600)
    expect(mapScale(10, 600).heightPx).toBe(50)
  })

  it('leads from a place to the message that is drawn there', () => {
    const scale = mapScale(200_000, 600)
    for (const position of [0, 1, 999, 100_000, 199_999]) {
      const near = fromMapPx(scale, toMapPx(scale, position) + 0.001)
      expect(Math.abs(near - position)).toBeLessThanOrEqual(1)
    }
    expect(fromMapPx(scale, -40)).toBe(0)
    expect(fromMapPx(scale, 10_000)).toBe(199_999)
  })

  it('draws larger messages longer, and says which part of them is in the window', () => {
    const bars = mapBars(columns, mapScale(1_000, 500))
    expect(bars[0]?.width).toBeLessThan(bars[1]?.width ?? 0)
    expect(bars[3]?.width).toBe(1)
    expect(bars[1]).toMatchObject({ y: 50, height: 50, inWindow: 0 })
    expect(bars[8]?.inWindow).toBe(0.5)
  })

  it('marks messages at their place, each place once, and nothing that is no message', () => {
    const scale = mapScale(1_000, 500)
    expect(markPlaces(columns, scale, ['msg_101', 'msg_150', 'msg_901', 'sum_1'])).toEqual([50, 450])
  })

  it('never draws the part in sight too small to be taken hold of, or out of the map', () => {
    const scale = mapScale(200_000, 600)
    expect(mapViewport(scale, 0, 5).height).toBeGreaterThanOrEqual(6)
    const { y, height } = mapViewport(scale, 199_995, 199_999)
    expect(y + height).toBeLessThanOrEqual(600)
  })
})
