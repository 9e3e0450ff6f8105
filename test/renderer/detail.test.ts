import { describe, expect, it } from 'vitest'
import type { Expansion } from '#core/contract/retrieval.ts'
import {
  compressionText,
  coversText,
  foundElsewhere,
  foundText,
  kindText,
  linksText,
  visibilityChip,
} from '#renderer/features/detail/detail-wording.ts'
import { joinExpansion } from '#renderer/features/detail/join-expansion.ts'
import { nodeLabel, nodeTextColor } from '#renderer/ui/nodes/depth-color.ts'

const plain = (text: string) => text.replaceAll('\u00a0', ' ')

describe('the detail view of a node', () => {
  it('names the kind of the node', () => {
    expect(kindText({ kind: 'condensed', depth: 1, role: null })).toBe('summary of summaries · depth 1')
    expect(kindText({ kind: 'leaf', depth: 0, role: null })).toBe('first summary')
    expect(kindText({ kind: 'message', depth: null, role: 'tool' })).toBe('tool')
  })

  it('names the messages, tokens and links of the node', () => {
    const seqs = { firstSeq: 90, lastSeq: 900 }
    expect(coversText({ sourceRange: { ...seqs, first: 2548, last: 3336 } })).toBe('messages 2,548 – 3,336')
    expect(coversText({ sourceRange: { ...seqs, first: 7, last: 7 } })).toBe('message 7')
    expect(coversText({ sourceRange: null })).toBeNull()
    expect(compressionText({ sourceTokens: 93480, compression: 50.64 })).toBe(' of 93,480 · 50.6×')
    expect(compressionText({ sourceTokens: null, compression: null })).toBe('')
    expect(plain(linksText({ sourceCount: 9, dependents: ['sum_a'] }))).toBe('9 sources · 1 dependent')
  })

  it('says whether the node is in the window', () => {
    expect(visibilityChip('in_window', 4)).toEqual({ text: 'in the window · #4', tone: 'lit' })
    expect(visibilityChip('absent', null)).toEqual({ text: 'out of reach', tone: 'error' })
  })

  it('says which match is the current one, and how many the part has that is not shown', () => {
    const ranges: [number, number][] = [
      [0, 1],
      [2, 3],
      [4, 5],
    ]
    expect(foundText({ current: 0, shown: 1, ahead: null })).toBe('1 match')
    expect(plain(foundText({ current: 1, shown: 2, ahead: null }))).toBe('2 of 2 matches')
    expect(plain(foundText({ current: 0, shown: 2, ahead: { ranges, isCut: false } }))).toBe(
      '1 of 2 matches so far · 3 in the whole text',
    )
    expect(plain(foundText({ current: 0, shown: 3, ahead: { ranges, isCut: false } }))).toBe('1 of 3 matches')
    expect(foundText({ current: 0, shown: 3, ahead: { ranges, isCut: true } })).toContain('3 or more')
  })

  it('says in which text the words stand when the shown one has none', () => {
    expect(foundElsewhere('tool_input', false)).toContain('the tool’s input')
    expect(foundElsewhere('content', true)).toContain('file')
    expect(foundElsewhere('content', false)).toContain('None')
  })

  it('has a name and a colour for any kind and depth that a damaged file holds', () => {
    expect(nodeLabel({ kind: 'condensed', depth: null })).toBe('depth 1')
    expect(nodeLabel({ kind: 'missing' })).toBe('missing')
    expect(nodeTextColor({ kind: 'condensed', depth: 42 })).toBe('var(--d3-text)')
    expect(nodeTextColor({ kind: 'missing' })).toBe('var(--dim)')
  })
})

describe('the joined pages of an expansion', () => {
  const page = (ids: readonly string[], tokens: number): Expansion => ({
    nodes: [],
    messages: ids.map((id, seq) => ({ id, seq, role: 'user', tokens: 1, createdAtMs: null, content: id })),
    tokens,
    truncated: false,
    next: [],
    tooLarge: ['sum_big'],
  })

  it('show each message once, even where pages overlap', () => {
    const joined = joinExpansion([page(['msg_1', 'msg_2'], 2), page(['msg_2', 'msg_3'], 2)])
    expect(joined.messages.map(({ id }) => id)).toEqual(['msg_1', 'msg_2', 'msg_3'])
    expect(joined.tokens).toBe(4)
    expect(joined.tooLarge).toEqual(['sum_big'])
  })
})
