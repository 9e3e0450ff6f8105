import { describe, expect, it } from 'vitest'
import { cardFacts, countsText, moreText } from '#renderer/features/graph/card-text.ts'
import { toDot, toMermaid } from '#renderer/features/graph/graph-export.ts'
import { around, cardOf, edgesOf, messageOf } from './graph-builder.ts'

describe('the text of a card', () => {
  it('says what the node covers beside its id', () => {
    expect(cardFacts(cardOf({ id: 'sum_a', messages: 86 }))).toBe('86\u00a0messages')
    expect(cardFacts(messageOf(3))).toBe('user · 120\u00a0tokens')
  })

  it('says of a missing node that it is not in the file', () => {
    expect(cardFacts(cardOf({ id: 'sum_gone', kind: 'missing' }))).toBe('not in this file')
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
    expect(mermaid).toContain('n0["a#34;]; subgraph #60;b#62; · first summary')
    expect(mermaid).toContain('n0 --> n1')
    expect(toDot(hostile)).toContain('n0 [label="a\\"]; subgraph <b>, first summary')
    expect(toDot(hostile)).toContain('n2 [label="back\\\\slash')
  })

  it('marks edges that are not sound', () => {
    const input = around('a', [cardOf({ id: 'a' }), cardOf({ id: 'b' })], edgesOf('a>b', 'b~a'))
    expect(toMermaid(input)).toContain('n1 -. cycle .-> n0')
    expect(toDot(input)).toContain('n1 -> n0 [style=dashed, color=red, label="cycle"];')
  })
})
