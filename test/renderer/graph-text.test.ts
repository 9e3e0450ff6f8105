import { describe, expect, it } from 'vitest'
import { cardText, countsText, moreText } from '../../renderer/features/graph/card-text.ts'
import { toDot, toMermaid } from '../../renderer/features/graph/graph-export.ts'
import { around, cardOf, edgesOf, messageOf } from './graph-builder.ts'

describe('the text of a card', () => {
  it('has numbers where there is room, and says what the node stands for where there is not', () => {
    const card = cardOf({ id: 'sum_9c1f4e02ab77d310', kind: 'condensed', depth: 1, tokens: 1846, sourceTokens: 93_480 })
    expect(cardText(card, true).facts).toBe('depth 1 · 1,846\u00a0tokens · 50.6×')
    expect(cardText(cardOf({ id: 'sum_a', messages: 86 }), false).facts).toBe('leaf · 86 msgs')
  })

  it('claims no compression when the source tokens are unknown', () => {
    const card = cardOf({ id: 'sum_a', tokens: 0, sourceTokens: null })
    expect(cardText(card, true).facts).toBe('leaf · 0\u00a0tokens')
  })

  it('says of a missing node that it is not in the file', () => {
    expect(cardText(cardOf({ id: 'sum_gone', kind: 'missing' }), true).facts).toBe('not in this file')
  })

  it('counts sources, dependents and messages in words', () => {
    expect(countsText(cardOf({ id: 'a', kind: 'condensed', sources: 9, dependents: 1, messages: 789 }))).toBe(
      '9\u00a0sources · 1\u00a0dependent · 789\u00a0messages',
    )
    expect(moreText(75, 'messages')).toBe('+ 75\u00a0messages')
  })
})

describe('an exported graph', () => {
  const hostile = around(
    'a',
    [cardOf({ id: 'a"]; subgraph <b>' }), messageOf(7), cardOf({ id: 'back\\slash' })],
    edgesOf('a"]; subgraph <b>>msg_7').map((edge) => ({ ...edge, from: 'a"]; subgraph <b>', to: 'msg_7' })),
  )

  it('escapes ids so that none becomes syntax', () => {
    const mermaid = toMermaid(hostile)
    expect(mermaid).toContain('n0["a#34;]; subgraph #60;b#62; · leaf')
    expect(mermaid).toContain('n0 --> n1')
    expect(toDot(hostile)).toContain('n0 [label="a\\"]; subgraph <b>, leaf')
    expect(toDot(hostile)).toContain('n2 [label="back\\\\slash')
  })

  it('marks edges that are not sound', () => {
    const input = around('a', [cardOf({ id: 'a' }), cardOf({ id: 'b' })], edgesOf('a>b', 'b~a'))
    expect(toMermaid(input)).toContain('n1 -. cycle .-> n0')
    expect(toDot(input)).toContain('n1 -> n0 [style=dashed, color=red, label="cycle"];')
  })
})
