import type { LineageEdge, Neighbourhood, NodeCard } from '#core/contract/lineage.ts'

type Given = Partial<NodeCard> & { readonly id: string }

/** Makes a leaf by default. */
export const cardOf = (given: Given): NodeCard => ({
  kind: 'leaf',
  conversationId: 1,
  depth: 0,
  role: null,
  seq: null,
  tokens: 120,
  sourceTokens: 3000,
  messages: 20,
  firstSeq: 0,
  lastSeq: 19,
  createdAtMs: 0,
  sources: 20,
  dependents: 1,
  visibility: 'covered',
  excerpt: '',
  ...given,
})

export const messageOf = (number: number, seq = number): NodeCard =>
  cardOf({
    id: `msg_${number}`,
    kind: 'message',
    depth: -1,
    role: 'user',
    seq,
    firstSeq: seq,
    lastSeq: seq,
    messages: 1,
  })

/** `a>b` is an edge from a to its source b; `a~b` closes a cycle, `a?b` dangles. */
export function edgesOf(...texts: readonly string[]): LineageEdge[] {
  return texts.map((text, ordinal) => {
    const [from = '', sign = '', to = ''] = text.split(/([>~?])/)
    return { from, to, ordinal, state: sign === '~' ? 'cycle' : sign === '?' ? 'dangling' : 'sound' }
  })
}

export const around = (
  focus: string,
  nodes: readonly NodeCard[],
  edges: readonly LineageEdge[],
  more: Neighbourhood['more'] = [],
): Neighbourhood => ({ focus, nodes: [...nodes], edges: [...edges], more })

/** A condensed node over `leaves` leaves of 20 messages each, the messages of the first leaf shown. */
export function family(leaves: number, messagesOfFirst: number): Neighbourhood {
  const own = Array.from({ length: leaves }, (_, i) =>
    cardOf({ id: `leaf${i}`, firstSeq: i * 20, lastSeq: i * 20 + 19 }),
  )
  const messages = Array.from({ length: messagesOfFirst }, (_, i) => messageOf(i))
  return around(
    'focus',
    [
      cardOf({ id: 'top', kind: 'condensed', depth: 2 }),
      cardOf({ id: 'focus', kind: 'condensed', depth: 1, sources: leaves }),
      // In no order, as nothing may rely on it.
      ...own.toReversed(),
      ...messages.toReversed(),
    ],
    edgesOf('top>focus', ...own.map(({ id }) => `focus>${id}`), ...messages.map(({ id }) => `leaf0>${id}`)),
  )
}
