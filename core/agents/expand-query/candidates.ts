import type { RetrievalEngine } from '../../browse/retrieval-engine.ts'
import { GrepInput } from '../../contract/retrieval.ts'
import { LcmError } from '../../errors.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { conversationOf, findNode } from '../../systems/node-id.ts'

/** Nodes at which a reading begins. */
const MOST_CANDIDATES = 6
const HITS = 30

export type Candidates = { readonly ids: readonly string[]; readonly conversationIds: readonly number[] }

/**
 * The summaries to read: those that are given, or those that a search leads to. A hit that no summary stands for is a
 * candidate itself.
 * @throws LcmError not_found, invalid_argument, cancelled
 */
export async function findCandidates(
  { db, retrieval }: { readonly db: ReadDb; readonly retrieval: RetrievalEngine },
  asked: {
    readonly summaryIds?: readonly string[]
    readonly question: string
    readonly conversationId?: number
  },
  signal?: AbortSignal,
): Promise<Candidates> {
  const { summaryIds = [], question, conversationId } = asked
  if (summaryIds.length > 0) return given(db, [...new Set(summaryIds)], conversationId)
  const input = GrepInput.parse({
    query: question,
    scope: 'both',
    sort: 'relevance',
    limit: HITS,
    conversationIds: conversationId === undefined ? undefined : [conversationId],
  })
  const { hits } = await retrieval.grep(input, signal)
  const scores = new Map<string, { score: number; conversationId: number }>()
  for (const [place, hit] of hits.entries()) {
    // In some systems, and in damaged files, a summary of another conversation stands for a message too.
    const own = hit.coveredBy.find((cover) => conversationOf(db, cover) === hit.conversationId)
    const id = hit.kind === 'message' ? (own ?? hit.id) : hit.id
    const known = scores.get(id)?.score ?? 0
    // Several hits beneath one summary speak for it more than one good one beneath another.
    scores.set(id, { score: known + 1 / (place + 3), conversationId: hit.conversationId })
  }
  const best = [...scores].sort((a, b) => b[1].score - a[1].score || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_CANDIDATES)
  return {
    ids: best.map(([id]) => id),
    conversationIds: [...new Set(best.map(([, found]) => found.conversationId))],
  }
}

function given(db: ReadDb, ids: readonly string[], conversationId: number | undefined): Candidates {
  const conversationIds = new Set<number>()
  for (const id of ids) {
    const node = findNode(db, id)
    if (node.kind !== 'summary') {
      throw new LcmError('invalid_argument', `${id} is a ${node.kind}: a question is asked of summaries.`, { id })
    }
    if (conversationId !== undefined && node.conversationId !== conversationId) {
      throw new LcmError(
        'invalid_argument',
        `${id} belongs to conversation ${node.conversationId}, not to ${conversationId}.`,
        { id },
      )
    }
    conversationIds.add(node.conversationId)
  }
  return { ids, conversationIds: [...conversationIds] }
}
