import type { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import { GrepInput, type MessageEnds } from '#core/contract/retrieval.ts'
import { LcmError } from '#core/errors.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { conversationOf, findNode } from '#core/systems/reading/node-id.ts'
import type { Scope } from '../grants/scope.ts'

const HITS = 100

/** The nodes at which a reading may begin, the best first. */
export type Candidates = { readonly ids: readonly string[]; readonly conversationIds: readonly number[] }

/**
 * Returns the summaries to read: the given ones, or those that cover the hits of a search. A hit that no summary covers
 * is a candidate itself.
 * @throws LcmError not_found, invalid_argument, cancelled
 */
export async function findCandidates(
  { db, retrieval }: { readonly db: ReadDb; readonly retrieval: RetrievalEngine },
  asked: {
    readonly summaryIds?: readonly string[]
    readonly question: string
    readonly conversationId?: number
    readonly limits?: Scope | undefined
  } & MessageEnds,
  signal?: AbortSignal,
): Promise<Candidates> {
  const { summaryIds = [], question, conversationId, fromMessage, toMessage, limits } = asked
  if (summaryIds.length > 0) return given(db, [...new Set(summaryIds)], conversationId)
  const input = GrepInput.parse({
    query: question,
    match: 'question',
    scope: 'both',
    limit: HITS,
    fromMessage,
    toMessage,
    conversationIds: conversationId === undefined ? limits?.conversationIds : [conversationId],
  })
  const { hits } = await retrieval.search(input, signal, limits?.permitted())
  const scores = new Map<string, { score: number; conversationId: number }>()
  for (const [place, hit] of hits.entries()) {
    // In some systems, and in damaged files, a summary of another conversation may cover a message.
    const own = hit.coveredBy.find(
      (cover) => conversationOf(db, cover) === hit.conversationId && (limits?.allows(cover) ?? true),
    )
    const id = hit.kind === 'message' ? (own ?? hit.id) : hit.id
    const known = scores.get(id)?.score ?? 0
    // Several hits that one summary covers count for more than one good hit of another.
    scores.set(id, { score: known + 1 / (place + 3), conversationId: hit.conversationId })
  }
  const best = [...scores].sort((a, b) => b[1].score - a[1].score || (a[0] < b[0] ? -1 : 1))
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
