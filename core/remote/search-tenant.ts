import { z } from 'zod'
import { type RemoteGrepInput, type RemoteHit, RemoteHits } from '../contract/remote.ts'
import { GrepInput } from '../contract/retrieval.ts'
import { badCursor, decodeCursor, encodeCursor } from '../cursor.ts'
import { LcmError } from '../errors.ts'
import { LOOKING_MS, type Postgres } from '../postgres/connect.ts'
import { type Candidate, type CandidatePosition, readCandidates } from '../postgres/search-rows.ts'
import { planQuery, queryHash } from '../search/plan-query.ts'
import { snippetOf } from '../search/snippet.ts'
import { throwIfCancelled } from '../yielding.ts'
import { requireOurs } from './remote-stores.ts'

const CANDIDATES_AT_ONCE = 500

const Position = z.object({
  of: z.string(),
  createdAtMs: z.number(),
  conversationId: z.number(),
  kind: z.enum(['message', 'leaf', 'condensed']),
  id: z.string(),
})

/**
 * Finds characters or a pattern in the messages and summaries of all conversations of a tenant, the newest first. The
 * server says by its trigrams which texts may be hits; each is then read and decided as every search here does.
 * @throws LcmError invalid_argument, unsupported for patterns that only a backtracking engine understands
 */
export async function searchTenant(
  from: Postgres,
  { tenant, query: sought, mode, caseSensitive, conversationIds, limit, cursor }: RemoteGrepInput & { tenant: string },
  signal: AbortSignal,
): Promise<RemoteHits> {
  await requireOurs(from, 'A search in all conversations of a tenant needs the indexes of LCM Inspector')
  const asked = GrepInput.parse({ query: sought, mode, caseSensitive, conversationIds })
  const plan = (await planQuery(asked, signal))?.strict
  if (plan === undefined) return { tenant, hits: [], nextCursor: null, readTexts: 0 }
  if (plan.matcher.elsewhere) {
    plan.matcher.elsewhere.close()
    throw new LcmError(
      'unsupported',
      'Patterns with look-around or back-references are not searched in a database: pull the conversation, and search the file.',
    )
  }
  const { matcher, formula } = plan
  const of = queryHash(asked)
  const start = cursor === undefined ? null : decodeCursor(cursor, Position)
  if (start !== null && start.of !== of) throw badCursor('it belongs to another query')
  let after: CandidatePosition | null = start
  const hits: RemoteHit[] = []
  let readTexts = 0
  return from.read(
    tenant,
    async (query) => {
      for (;;) {
        throwIfCancelled(signal, 'The search was cancelled.')
        const request = { tenant, conversationIds: conversationIds ?? null, condition: formula, after }
        const candidates: Candidate[] = await readCandidates(query, { ...request, limit: CANDIDATES_AT_ONCE })
        for (const candidate of candidates) {
          after = candidate
          readTexts += 1
          if (!matcher.matches([candidate.content])) continue
          const { content, ...hit } = candidate
          const { snippet, matches } = snippetOf([content], matcher)
          hits.push(RemoteHits.shape.hits.element.parse({ ...hit, snippet, matches }))
          if (hits.length < limit) continue
          const { createdAtMs, conversationId, kind, id } = candidate
          const nextCursor = encodeCursor({ of, createdAtMs, conversationId, kind, id })
          return { tenant, hits, nextCursor, readTexts }
        }
        if (candidates.length < CANDIDATES_AT_ONCE) return { tenant, hits, nextCursor: null, readTexts }
      }
    },
    LOOKING_MS,
  )
}
