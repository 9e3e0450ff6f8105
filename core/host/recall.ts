import { fitting } from '../agents/expand-query/granted-reader.ts'
import type { Recalled } from '../contract/host.ts'
import { GrepInput } from '../contract/retrieval.ts'
import { markRecalled } from '../ingest/recalled-text.ts'
import type { Lcm } from '../lcm.ts'

export type RecallRequest = {
  readonly query: string
  readonly tokenCap: number
  /** Null for all conversations. */
  readonly conversationId: number | null
}

const MOST_HITS = 40
/** Of a longer message only the place that was found is given. */
const LONGEST_PASSAGE_TOKENS = 300

/** Finds the messages outside of the window that match a query best, and puts them into the order of time. */
export async function recall(lcm: Lcm, request: RecallRequest, signal: AbortSignal): Promise<Recalled> {
  const { query, tokenCap, conversationId } = request
  const { estimator } = lcm
  const asked = GrepInput.parse({
    query,
    scope: 'messages',
    sort: 'relevance',
    inContext: false,
    limit: MOST_HITS,
    ...(conversationId !== null && { conversationIds: [conversationId] }),
  })
  const { hits } = await lcm.retrieval.search(asked, signal)
  const passages: Recalled['passages'] = []
  for (const { id, snippet, role, createdAtMs, conversationId } of hits) {
    const { content } = lcm.transcript.message(id)
    const isShort = estimator.count(content) <= LONGEST_PASSAGE_TOKENS
    const passage = { id, conversationId, role, createdAtMs, text: isShort && content !== '' ? content : snippet }
    if (estimator.count(textOf([...passages, passage])) <= tokenCap) passages.push(passage)
  }
  const [first] = hits
  if (passages.length === 0 && first) {
    // Not even one passage fits as a whole.
    const { id, role, createdAtMs, conversationId, snippet } = first
    const passage = { id, conversationId, role, createdAtMs, text: '' }
    const left = tokenCap - estimator.count(textOf([{ ...passage, text: '…' }]))
    const text = fitting(snippet, left, estimator)
    if (text !== '') passages.push({ ...passage, text })
  }
  const text = textOf(passages)
  return { text, passages, tokens: estimator.count(text) }
}

function textOf(passages: Recalled['passages']): string {
  const inOrder = passages.toSorted((a, b) => (a.createdAtMs ?? 0) - (b.createdAtMs ?? 0))
  return markRecalled(
    inOrder.map(({ id, role, createdAtMs, text }) => {
      const at = createdAtMs === null ? '' : `, ${new Date(createdAtMs).toISOString()}`
      return `[${id}, ${role ?? 'unknown'}${at}]\n${text}`
    }),
  )
}
