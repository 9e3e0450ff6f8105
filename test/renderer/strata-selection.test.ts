import { describe, expect, it } from 'vitest'
import { toBuckets } from '#renderer/features/strata/buckets.ts'
import { onClick, onDoubleClick } from '#renderer/features/strata/hit-action.ts'
import { isWithin } from '#renderer/features/strata/scene.ts'
import { besideInRow, rangeOfMessage, rangeOfSummary } from '#renderer/features/strata/selected-range.ts'
import { indexSummaries } from '#renderer/features/strata/summary-index.ts'
import { defaultFocus } from '#renderer/ui/nodes/default-focus.ts'
import { messageNumber } from '#renderer/ui/nodes/message-number.ts'
import { idAt, messageColumns, strataOf } from './strata-builder.ts'

const strata = strataOf([
  { depth: 0, x0: 0, x1: 20 },
  { depth: 0, x0: 20, x1: 40 },
  { depth: 0, x0: 40, x1: 60, inWindow: true },
  { depth: 1, x0: 0, x1: 20, inWindow: true },
  { depth: 1, x0: 20, x1: 40, inWindow: true },
  { depth: 2, x0: 0, x1: 20 },
])

describe('a click in the strata', () => {
  it('selects a single summary or message', () => {
    expect(onClick({ kind: 'summary', entry: 1 }, strata)).toEqual({ select: idAt(1) })
    const message = { kind: 'messages' as const, x0: 6, x1: 7, count: 1, tokens: 9, largestTokens: 9 }
    expect(onClick({ ...message, role: 1, inWindow: 0, firstMessage: 7 }, strata)).toEqual({ select: 'msg_7' })
  })

  it('zooms in on a group', () => {
    const group = { kind: 'summaries' as const, depth: 0, count: 12, x0: 3, x1: 9 }
    expect(onClick(group, strata)).toEqual({ show: group })
  })

  it('does nothing where there is nothing', () => {
    expect(onClick(null, strata)).toEqual({})
  })

  it('zooms to the bar when it is a double click', () => {
    expect(onDoubleClick({ kind: 'summary', entry: 4 }, strata)).toEqual({ show: { x0: 20, x1: 40 } })
  })
})

describe('the selection in the strata', () => {
  it('is placed at its summary, and nowhere for a summary of another conversation', () => {
    const index = indexSummaries(strata)
    expect(rangeOfSummary(strata, index, idAt(4))).toEqual({ x0: 20, x1: 40, entry: 4, depth: 1 })
    expect(rangeOfSummary(strata, index, 'sum_elsewhere')).toBeNull()
  })

  it('is placed at the column of its message', () => {
    const buckets = toBuckets(messageColumns(10, 20), { x0: 10, x1: 20 })
    expect(rangeOfMessage(buckets, 15)).toMatchObject({ x0: 14, x1: 15, entry: null })
    expect(rangeOfMessage(buckets, 3)).toBeNull()
  })

  it('accepts only msg_ and a number as the id of a message', () => {
    expect(['msg_12', 'msg_', 'msg_1x', 'sum_12', 'file_1'].map(messageNumber)).toEqual([12, null, null, null, null])
  })

  it('contains ranges that lie within it, and not those that reach beyond', () => {
    const selected = { x0: 20, x1: 40, entry: 4, depth: 1 }
    expect(isWithin(selected, 20, 30)).toBe(true)
    expect(isWithin(selected, 35, 45)).toBe(false)
    expect(isWithin(null, 20, 30)).toBe(false)
  })

  it('moves along its row and stops at the end', () => {
    expect(besideInRow(strata, 0, 1)).toBe(idAt(1))
    expect(besideInRow(strata, 2, 1)).toBeNull()
    expect(besideInRow(strata, 0, -1)).toBeNull()
  })

  it('begins at the newest of the deepest summaries in the window', () => {
    expect(defaultFocus(strata)).toBe(idAt(4))
  })

  it('begins at the deepest summary when none is in the window, and nowhere when there is none', () => {
    expect(
      defaultFocus(
        strataOf([
          { depth: 0, x0: 0, x1: 5 },
          { depth: 1, x0: 0, x1: 5 },
        ]),
      ),
    ).toBe(idAt(1))
    expect(defaultFocus(strataOf([]))).toBeNull()
  })
})
