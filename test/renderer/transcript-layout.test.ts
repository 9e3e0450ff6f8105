import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '#core/contract/message.ts'
import { allTurned, isUnfolded, turned } from '#renderer/features/transcript/folds.tsx'
import { gutterColumns, stripesOf } from '#renderer/features/transcript/gutter.ts'
import { parseJump } from '#renderer/features/transcript/jump-target.ts'
import {
  assumedRowPx,
  counterOf,
  marksNear,
  PAGE_SIZE,
  pagesOf,
  withNewer,
} from '#renderer/features/transcript/pages.ts'
import { hasLongLine, linePart, piecesOf, previewOf } from '#renderer/ui/texts/text-pieces.ts'

const cover = (id: string, depth: number) => ({ id, depth, inWindow: depth > 0 })
const covered = (...covers: ReturnType<typeof cover>[]) => ({ coveredBy: covers })

describe('the coverage gutter', () => {
  it('draws a stripe along the messages of a summary and ends it where another begins', () => {
    const message = covered(cover('leaf_a', 0), cover('d1', 1))
    const stripes = stripesOf(message, null, covered(cover('leaf_b', 0), cover('d1', 1)), 2)
    expect(stripes).toMatchObject([
      { id: 'leaf_a', starts: true, ends: true },
      { id: 'd1', starts: true, ends: false },
    ])
  })

  it('assumes that a stripe continues towards messages that are not loaded', () => {
    expect(stripesOf(covered(cover('a', 0)), undefined, undefined, 1)).toMatchObject([{ starts: false, ends: false }])
  })

  it('leaves a column empty where no summary of that depth covers the message', () => {
    expect(stripesOf(covered(cover('d1', 1)), null, null, 2)).toMatchObject([null, { id: 'd1' }])
  })

  it('says that two summaries of one depth cover a message', () => {
    expect(stripesOf(covered(cover('a', 0), cover('b', 0)), null, null, 1)).toMatchObject([{ id: 'a', also: ['b'] }])
  })

  it('limits the number of columns for deep histories', () => {
    expect(gutterColumns(-1)).toBe(0)
    expect(gutterColumns(2)).toBe(3)
    expect(gutterColumns(40)).toBe(8)
    const stripes = stripesOf(covered(cover('deep', 40)), null, null, 8)
    expect(stripes.at(-1)).toMatchObject({ id: 'deep', depth: 40 })
  })
})

describe('the pages of a transcript', () => {
  it('are fetched when they have rows in sight, and no others', () => {
    expect(pagesOf(0, 20, 1000)).toEqual([0])
    expect(pagesOf(95, 105, 1000)).toEqual([0, 1])
    expect(pagesOf(-30, 2000, 150)).toEqual([0, 1])
    expect(pagesOf(0, 10, 0)).toEqual([])
  })

  it('keep a million rows within the height that a browser paints exactly', () => {
    for (const total of [1, 200_000, 1_000_000]) expect(assumedRowPx(total) * total).toBeLessThanOrEqual(2 ** 22)
  })
})

describe('the counter', () => {
  it('names the topmost message, and the last one at the end: 377 of 377', () => {
    expect(counterOf(0, 377, false)).toBe(1)
    expect(counterOf(368, 377, false)).toBe(369)
    expect(counterOf(368, 377, true)).toBe(377)
  })

  it('names no message that is gone', () => {
    expect(counterOf(400, 377, false)).toBe(377)
  })
})

describe('a long text', () => {
  it('shows its beginning and says how much is hidden', () => {
    expect(previewOf('a\nb\nc\nd\ne\n', 2, 100)).toEqual({ head: 'a\nb', hiddenLines: 3, hiddenChars: 7 })
    expect(previewOf('a\nb\n', 2, 100)).toEqual({ head: 'a\nb', hiddenLines: 0, hiddenChars: 0 })
    expect(previewOf('x'.repeat(50), 2, 10)).toEqual({ head: 'x'.repeat(10), hiddenLines: 1, hiddenChars: 40 })
  })

  it('is not cut when only a line or two would be hidden', () => {
    expect(previewOf('a\nb\nc\nd\n', 2, 100)).toEqual({ head: 'a\nb\nc\nd', hiddenLines: 0, hiddenChars: 0 })
  })

  it('is cut at line breaks into pieces of limited length, which are the same text again', () => {
    const text = fc.array(fc.constantFrom('a', '\n', '🧠', 'word ', '\r\n')).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (whole, max) => {
        const pieces = piecesOf(whole, max)
        expect(pieces.map((piece) => piece.text).join('')).toBe(whole)
        for (const { text: piece, isLongLine } of pieces) {
          expect(piece.length > max).toBe(isLongLine)
          if (isLongLine) expect(piece.replace(/\n$/, '')).not.toContain('\n')
        }
      }),
    )
  })

  it('has its long lines drawn a part at a time, from the beginning to the end, with no character split', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '🧠', 'é'), { minLength: 1, maxLength: 60 }), (chars) => {
        const line = chars.join('')
        let drawn = ''
        for (let at = 0; at < line.length; ) {
          const { from, to } = linePart(line, at, 7)
          expect(from).toBe(at)
          expect(to - from).toBeLessThanOrEqual(7)
          drawn += line.slice(from, to)
          expect(line.slice(from, to).isWellFormed()).toBe(true)
          at = to
        }
        expect(drawn).toBe(line)
      }),
    )
  })

  it('says whether one of its lines is too long to be drawn whole', () => {
    expect(hasLongLine(`a\n${'x'.repeat(200_000)}\nb`)).toBe(true)
    expect(hasLongLine('some words\n'.repeat(20_000))).toBe(false)
  })
})

describe('the target of a jump', () => {
  const inSight = new Date(2026, 1, 13, 9, 30).getTime()

  it('is a message by its number, counted from one', () => {
    expect(parseJump('120', inSight)).toEqual({ kind: 'position', position: 119 })
    expect(parseJump('9,981', inSight)).toEqual({ kind: 'position', position: 9980 })
    expect(parseJump('0', inSight)).toEqual({ kind: 'position', position: 0 })
  })

  it('is a time in the local time zone', () => {
    expect(parseJump('2026-02-11', inSight)).toEqual({ kind: 'time', atMs: new Date(2026, 1, 11).getTime() })
    expect(parseJump('2026-02-11 07:44', inSight)).toEqual({
      kind: 'time',
      atMs: new Date(2026, 1, 11, 7, 44).getTime(),
    })
    expect(parseJump('07:44', inSight)).toEqual({ kind: 'time', atMs: new Date(2026, 1, 13, 7, 44).getTime() })
  })

  it('is an id in every other case', () => {
    expect(parseJump(' sum_9c1f4e02ab77d310 ', inSight)).toEqual({ kind: 'id', id: 'sum_9c1f4e02ab77d310' })
    expect(parseJump('msg_12', inSight)).toEqual({ kind: 'id', id: 'msg_12' })
    expect(parseJump('  ', inSight)).toBeNull()
  })
})

describe('folded blocks', () => {
  it('are folded at first and unfold one by one', () => {
    const states = turned(new Map(), 'msg_1/a')
    expect([isUnfolded(states, 'msg_1/a'), isUnfolded(states, 'msg_1/b')]).toEqual([true, false])
    expect(isUnfolded(turned(states, 'msg_1/a'), 'msg_1/a')).toBe(false)
  })

  it('unfold and fold together for a whole message, and for no other', () => {
    const some = turned(turned(new Map(), 'msg_1/a'), 'msg_12/a')
    const open = allTurned(some, 'msg_1')
    expect([isUnfolded(open, 'msg_1/a'), isUnfolded(open, 'msg_1/b')]).toEqual([true, true])
    const shut = allTurned(turned(open, 'msg_1/a'), 'msg_1')
    expect([isUnfolded(shut, 'msg_1/a'), isUnfolded(shut, 'msg_12/a')]).toEqual([false, true])
  })
})

describe('the pages of a conversation that grows', () => {
  const messagesFrom = (first: number, end: number): Message[] =>
    Array.from({ length: end - first }, (_, index) => ({ position: first + index }) as Message)
  const pageOf = (page: number, total: number) => {
    const offset = page * PAGE_SIZE
    return { offset, total, messages: messagesFrom(offset, Math.min(offset + PAGE_SIZE, total)) }
  }

  it('hold after any number of new messages what reading the page again would give, or are read again', () => {
    fc.assert(
      fc.property(fc.nat(350), fc.nat(250), (known, added) => {
        const total = known + added
        const end = Math.min(total, known + PAGE_SIZE)
        const newer = { offset: known, total, messages: messagesFrom(known, end) }
        for (const page of pagesOf(known, total - 1, total)) {
          const kept = page * PAGE_SIZE < known ? pageOf(page, known) : undefined
          const isWhole = Math.min((page + 1) * PAGE_SIZE, total) <= end
          expect(withNewer(kept, page, newer)).toEqual(isWhole ? pageOf(page, total) : kept)
        }
      }),
    )
  })

  it('keep a page as it is when messages between it and the new ones were never read', () => {
    const kept = { offset: 0, total: 40, messages: messagesFrom(0, 40) }
    expect(withNewer(kept, 0, { offset: 60, total: 61, messages: messagesFrom(60, 61) })).toBe(kept)
  })

  it('have their compactions asked for over ranges that hold every row in sight', () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(400), (first, rows) => {
        const { from, to } = marksNear({ first, last: first + rows })
        expect(from).toBeLessThanOrEqual(first)
        expect(to).toBeGreaterThan(first + rows)
        expect([from % PAGE_SIZE, to % PAGE_SIZE]).toEqual([0, 0])
      }),
    )
  })
})
