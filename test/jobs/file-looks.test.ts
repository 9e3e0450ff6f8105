import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FileLooks } from '#core/jobs/file-looks.ts'

let looks: FileLooks
const seen = { file: 0, around: 0 }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  Object.assign(seen, { file: 0, around: 0 })
  looks = new FileLooks({
    look: () => {
      seen.file += 1
    },
    lookAround: () => {
      seen.around += 1
    },
  })
  looks.start()
})
afterEach(() => {
  looks.stop()
  vi.useRealTimers()
})

/** How often the file was looked at within so many seconds. */
function looksWithin(seconds: number): number {
  const before = seen.file
  vi.advanceTimersByTime(seconds * 1000)
  return seen.file - before
}

describe('a file that is followed', () => {
  it('is looked at ten times a second, and half as often when it has not changed for ten seconds', () => {
    expect(looksWithin(10)).toBe(100)
    expect(looksWithin(10)).toBeLessThanOrEqual(51)
    looks.noteChange()
    vi.advanceTimersByTime(200)
    expect(looksWithin(5)).toBe(50)
  })

  it('is looked at five times before everything else is', () => {
    vi.advanceTimersByTime(1000)
    expect(seen).toEqual({ file: 10, around: 2 })
  })

  it('is looked at no more often when following begins twice, and not at all after its end', () => {
    looks.start()
    expect(looksWithin(1)).toBe(10)
    looks.stop()
    expect(looksWithin(1)).toBe(0)
  })
})
