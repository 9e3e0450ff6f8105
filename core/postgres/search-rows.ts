import type { Query } from './connect.ts'
import { fromStored } from './exact-texts.ts'

/** What every text must contain that is sought, without regard to case. */
type TextCondition =
  | { readonly kind: 'anything' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'all' | 'any'; readonly of: readonly TextCondition[] }

/** A text that may be a hit. Only reading it tells. */
export type Candidate = {
  readonly conversationId: number
  readonly id: string
  readonly kind: 'message' | 'leaf' | 'condensed'
  readonly seq: number | null
  readonly role: string | null
  readonly depth: number | null
  readonly createdAtMs: number
  readonly content: string
}

/** The candidate after which a page goes on: the newest come first. */
export type CandidatePosition = Pick<Candidate, 'createdAtMs' | 'conversationId' | 'kind' | 'id'>

export type CandidateRequest = {
  readonly tenant: string
  readonly conversationIds: readonly number[] | null
  readonly condition: TextCondition
  readonly after: CandidatePosition | null
  readonly limit: number
}

const queries = {
  candidates: (where: string) => /* sql */ `
    SELECT * FROM (
      SELECT conversation_id AS "conversationId", 'msg_' || message_id AS id, 'message' AS kind, seq, role,
        NULL::bigint AS depth, created_at AS "createdAtMs", content, exact_texts
      FROM lcm.messages WHERE ${where}
      UNION ALL
      SELECT conversation_id, summary_id, kind, NULL, NULL, depth, created_at, content, exact_texts
      FROM lcm.summaries WHERE ${where}
    ) AS found
    WHERE $3::bigint IS NULL OR ("createdAtMs", "conversationId", kind, id) < ($3, $4, $5, $6)
    ORDER BY "createdAtMs" DESC, "conversationId" DESC, kind DESC, id DESC LIMIT $7`,
}

/**
 * Letters of ASCII that a letter beyond ASCII is folded to, or that are folded in another way in some language: K and
 * ſ, and the i of Turkish. Where they stand, any character is accepted, and the text itself decides.
 */
const FOLDED_OTHERWISE = /[ksi]/

/** The pattern of what a text must contain, or null when it would say nothing. */
export function likePattern(text: string): string | null {
  let pattern = ''
  for (const letter of text.toLowerCase()) {
    const isPlain = /^[ -~]$/.test(letter) && !FOLDED_OTHERWISE.test(letter)
    pattern += isPlain ? letter.replace(/[\\%_]/, '\\$&') : '_'
  }
  const kept = pattern.replace(/^_+/, '').replace(/(^|[^\\])_+$/, '$1')
  return kept === '' ? null : `%${kept}%`
}

/** Reads texts that may be hits, the newest first. The trigram indexes say which. */
export async function readCandidates(
  query: Query,
  { tenant, conversationIds, condition, after, limit }: CandidateRequest,
): Promise<Candidate[]> {
  const values: unknown[] = [
    tenant,
    conversationIds,
    ...(after === null ? [null, null, null, null] : [after.createdAtMs, after.conversationId, after.kind, after.id]),
    limit,
  ]
  const sqlOf = (one: TextCondition): string | null => {
    if (one.kind === 'anything') return null
    if (one.kind === 'text') {
      const pattern = likePattern(one.text)
      if (pattern === null) return null
      values.push(pattern)
      return `content ILIKE $${values.length}`
    }
    const parts = one.of.map(sqlOf)
    const known = parts.filter((part) => part !== null)
    // Of a choice, one part that says nothing makes the whole say nothing.
    if (known.length === 0 || (one.kind === 'any' && known.length < parts.length)) return null
    return `(${known.join(one.kind === 'all' ? ' AND ' : ' OR ')})`
  }
  const content = sqlOf(condition) ?? 'true'
  const where = `tenant_id = $1 AND ($2::bigint[] IS NULL OR conversation_id = ANY ($2)) AND ${content}`
  const rows = await query(queries.candidates(where), values)
  return rows.map((row) => fromStored(row) as unknown as Candidate)
}
