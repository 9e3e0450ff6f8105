import { describe, expect, it } from 'vitest'
import { findGroups } from '#core/compaction/condensation.ts'
import { findLeafChunks, freshTailStart } from '#core/compaction/leaf-chunks.ts'
import { callUses, pairTools } from '#core/window/tool-pairs.ts'
import { columnsOf, type WindowItem } from '#core/window/window.ts'

type Spec = { readonly kind?: 'summary' | 'system'; readonly depth?: number; readonly tokens?: number }

const items = (...specs: readonly Spec[]): WindowItem[] =>
  specs.map(({ kind, depth = 0, tokens = 10 }, index): WindowItem => {
    const place = { ordinal: index, seq: index, tokens, createdAtMs: 0 }
    if (kind === 'summary') {
      const id = `sum_${index}`
      return {
        ...place,
        id,
        kind: depth === 0 ? 'leaf' : 'condensed',
        summaryId: id,
        messageId: null,
        role: null,
        depth,
      }
    }
    const role = kind === 'system' ? 'system' : 'user'
    return { ...place, id: `msg_${index}`, kind: 'message', messageId: index, summaryId: null, role, depth: null }
  })
const messages = (count: number, tokens = 10): WindowItem[] =>
  items(...Array.from({ length: count }, () => ({ tokens })))

type ToolMark = { readonly index: number; readonly callId: string; readonly kind: 'call' | 'result' }
const call = (index: number, callId: string): ToolMark => ({ index, callId, kind: 'call' })
const answer = (index: number, callId: string): ToolMark => ({ index, callId, kind: 'result' })

function chunks(
  window: readonly WindowItem[],
  limits: { tail?: number; tokens?: number },
  marks: readonly ToolMark[] = [],
) {
  const uses = Map.groupBy(marks, ({ callId }) => callId)
  const pairs = pairTools(
    window.length,
    callUses([...uses.values()].map((some) => some.map(({ index }) => index))),
    (index) => marks.some((mark) => mark.index === index && mark.kind === 'call'),
  )
  const found = findLeafChunks(columnsOf(window), pairs, {
    freshTailCount: limits.tail ?? 0,
    leafChunkTokens: limits.tokens ?? 1_000,
  })
  return found.chunks.map(({ from, to }) => [from, to])
}

describe('a leaf chunk', () => {
  it('takes the oldest messages, as many as the limit allows', () => {
    expect(chunks(messages(7), { tokens: 30 })).toEqual([
      [0, 3],
      [3, 6],
      [6, 7],
    ])
  })

  it('is a single message when that is larger than the limit', () => {
    expect(chunks(items({ tokens: 5 }, { tokens: 500 }, { tokens: 5 }), { tokens: 100 })).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ])
  })

  it('ends before the fresh tail', () => {
    expect(chunks(messages(10), { tail: 4 })).toEqual([[0, 6]])
    expect(chunks(messages(4), { tail: 4 })).toEqual([])
    expect(chunks(messages(4), { tail: 99 })).toEqual([])
  })

  it('ends at summaries and system messages, which stay in the window', () => {
    const window = items({ kind: 'system' }, {}, {}, { kind: 'summary' }, {}, { kind: 'system' }, {})
    expect(chunks(window, {})).toEqual([
      [1, 3],
      [4, 5],
      [6, 7],
    ])
  })

  it('needs two tokens, because its summary has one and must be smaller', () => {
    expect(chunks(messages(5, 0), {})).toEqual([])
    expect(chunks(messages(1, 1), {})).toEqual([])
    expect(chunks(messages(2, 1), {})).toEqual([[0, 2]])
  })

  it('never separates a call from its results, even when that makes it larger', () => {
    const marks = [call(2, 'a'), call(2, 'b'), answer(3, 'a'), answer(4, 'b')]
    expect(chunks(messages(6), { tokens: 30 }, marks)).toEqual([
      [0, 2],
      [2, 5],
      [5, 6],
    ])
    expect(chunks(messages(6), { tokens: 20 }, marks)).toEqual([
      [0, 2],
      [2, 5],
      [5, 6],
    ])
  })

  it('includes what stands between a call and its late result', () => {
    expect(chunks(messages(6), { tokens: 20 }, [call(1, 'a'), answer(4, 'a')])).toEqual([
      [0, 1],
      [1, 5],
      [5, 6],
    ])
  })

  it('excludes a call whose result is in the fresh tail', () => {
    expect(chunks(messages(6), { tail: 2 }, [call(3, 'a'), answer(4, 'a')])).toEqual([[0, 3]])
    expect(chunks(messages(6), { tail: 1 }, [call(1, 'a'), answer(5, 'a')])).toEqual([
      [0, 1],
      [2, 5],
    ])
  })

  it('excludes a call and a result with a system message between them', () => {
    const window = items({}, {}, { kind: 'system' }, {}, {})
    expect(chunks(window, {}, [call(1, 'a'), answer(3, 'a')])).toEqual([
      [0, 1],
      [4, 5],
    ])
  })
})

describe('the fresh tail', () => {
  it('counts messages, not summaries', () => {
    expect(freshTailStart(columnsOf(items({}, {}, { kind: 'summary' }, {})), 2)).toBe(1)
    expect(freshTailStart(columnsOf(messages(3)), 0)).toBe(3)
    expect(freshTailStart(columnsOf(messages(3)), 9)).toBe(0)
  })
})

describe('a condensation', () => {
  const depths = (...list: readonly number[]): WindowItem[] =>
    items(...list.map((depth): Spec => (depth < 0 ? {} : { kind: 'summary', depth })))
  const groups = (window: readonly WindowItem[], fanout: number, maxDepth = -1) =>
    findGroups(window, { condensedMinFanout: fanout, maxDepth }).map(({ from, to, depth }) => [from, to, depth])

  it('takes neighbours of the shallowest depth that has enough of them, oldest first', () => {
    expect(groups(depths(1, 1, 1, 0, 0, 0), 3)).toEqual([[3, 6, 0]])
    expect(groups(depths(1, 1, 1, 0, 0), 3)).toEqual([[0, 3, 1]])
    expect(groups(depths(0, 0, 0, 0, 0), 2)).toEqual([
      [0, 2, 0],
      [2, 4, 0],
    ])
  })

  it('does not reach over other items', () => {
    expect(groups(depths(0, -1, 0, 1, 0), 2)).toEqual([])
  })

  it('makes nothing deeper than the maximum depth', () => {
    expect(groups(depths(0, 0), 2, 0)).toEqual([])
    expect(groups(depths(0, 0), 2, 1)).toEqual([[0, 2, 0]])
    expect(groups(depths(1, 1, 0), 2, 1)).toEqual([])
  })
})
