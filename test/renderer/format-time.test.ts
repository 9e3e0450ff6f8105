import { describe, expect, it } from 'vitest'
import { formatAbsolute, formatRange, formatRelative, formatShort } from '#renderer/ui/texts/format-time.ts'
import { paceOf } from '#renderer/ui/texts/use-now.ts'

const now = new Date(2026, 1, 20, 12, 0, 0).getTime()
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

describe('a time in a list', () => {
  it('is shown relative to now, and by its date when that is long ago', () => {
    const ago = (ms: number) => plain(formatRelative(now - ms, now))
    expect([500, 3_000, 61_000, 3 * 3_600_000, 2 * 86_400_000].map(ago)).toEqual([
      'just now',
      '3 s ago',
      '1 min ago',
      '3 h ago',
      '2 d ago',
    ])
    expect(ago(10 * 86_400_000)).toBe('Feb 10')
  })

  it('is "just now" when the clock that wrote it was ahead', () => {
    expect(formatRelative(now + 5_000, now)).toBe('just now')
  })
})

describe('a time by itself', () => {
  it('has its year only when that is another one than now', () => {
    expect(formatShort(new Date(2026, 1, 12, 19, 37).getTime(), now)).toBe('Feb 12, 19:37')
    expect(formatShort(new Date(2024, 1, 12, 19, 37).getTime(), now)).toBe('Feb 12, 2024, 19:37')
  })

  it('is absolute to the millisecond on hover', () => {
    expect(formatAbsolute(now)).toMatch(/^2026-02-20 12:00:00\.000 [+-]\d\d:\d\d$/)
    expect(Date.parse(formatAbsolute(now).replace(/ ([+-])/, '$1'))).toBe(now)
  })

  it('is unknown when a file holds a value that is no time', () => {
    expect(formatAbsolute(Number.MAX_SAFE_INTEGER)).toBe('unknown time')
    expect(formatShort(Number.NaN)).toBe('unknown time')
  })
})

describe('a range of times', () => {
  it('names the day once when it lies within one day', () => {
    const at = (day: number, hour: number) => new Date(2026, 1, day, hour, 5).getTime()
    expect(formatRange(at(12, 9), at(12, 11), now)).toBe('Feb 12, 09:05 – 11:05')
    expect(formatRange(at(12, 9), at(13, 11), now)).toBe('Feb 12, 09:05 – Feb 13, 11:05')
    expect(formatRange(at(12, 9), at(12, 9), now)).toBe('Feb 12, 09:05')
  })
})

it('the age of a change is drawn anew each second only in its first ten seconds', () => {
  expect([0, 9_999, 10_000, 86_400_000].map((ago) => paceOf(now - ago, now))).toEqual([1000, 1000, 10_000, 10_000])
  expect(paceOf(null, now)).toBe(10_000)
})
