// Why it is so: docs/decisions/0033-search-over-a-tenant.md

import type { Query } from './connect.ts'
import { fromStored } from './exact-texts.ts'

/** What every text must contain that is sought, without regard to case. */
export type TextCondition =
  | { readonly kind: 'anything' }
  | { readonly kind: 'text'; readonly text: string }
  /** Words as SQLite's tokenizer writes them. The last one may be the beginning of a word. */
  | { readonly kind: 'words'; readonly tokens: readonly string[]; readonly isPrefix: boolean }
  | { readonly kind: 'all' | 'any'; readonly of: readonly TextCondition[] }

/** A condition that makes a text come earlier. */
export type WeighedCondition = { readonly condition: TextCondition; readonly weight: number }

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
  readonly score: number
  /** Of a message: it has texts in its parts, too, by which it may be a hit. */
  readonly hasTools: boolean
}

/** The candidate after which a page goes on. */
export type CandidatePosition = Pick<Candidate, 'score' | 'createdAtMs' | 'conversationId' | 'kind' | 'id'>

export type CandidateRequest = {
  readonly conversationIds: readonly number[] | null
  readonly condition: TextCondition
  readonly weighed: readonly WeighedCondition[]
  readonly after: CandidatePosition | null
  readonly limit: number
}

const queries = {
  candidates: /* sql */ `
    SELECT conversation_id AS "conversationId", id, kind, seq, role, depth, created_at AS "createdAtMs", content,
      exact_texts, score, has_tools AS "hasTools"
    FROM lcm.find_texts($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  partTexts: /* sql */ `
    SELECT p.conversation_id AS "conversationId", p.message_id AS "messageId", p.ordinal, p.tool_input, p.tool_output,
      CASE p.part_type WHEN 'reasoning' THEN p.text_content END AS text_content,
      CASE p.part_type WHEN 'reasoning' THEN p.exact_texts ELSE p.exact_texts - 'text_content' END AS exact_texts
    FROM unnest($2::bigint[], $3::bigint[]) AS k (conversation_id, message_id)
    JOIN lcm.message_parts AS p
      ON p.tenant_id = $1 AND p.conversation_id = k.conversation_id AND p.message_id = k.message_id
    WHERE p.is_synthetic = 0 ORDER BY p.conversation_id, p.message_id, p.ordinal`,
  counts: /* sql */ `
    SELECT lcm.count_texts(condition, $2) AS n
    FROM jsonb_array_elements($1) WITH ORDINALITY AS sought (condition, at) ORDER BY at`,
  conversations: /* sql */ `
    SELECT conversation_id AS "conversationId", label, messages FROM lcm.conversation_totals
    WHERE tenant_id = $1 AND conversation_id = ANY ($2)`,
  texts: /* sql */ `
    SELECT coalesce(sum(messages + summaries), 0)::bigint AS n FROM lcm.conversation_totals WHERE tenant_id = $1`,
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

/** Words are kept up to this length. */
const KEPT_CHARS = 200

/** The query for the index of words, or null when no word consists of ASCII: the index has no others. */
export function wordsQuery(tokens: readonly string[], isPrefix: boolean): string | null {
  const parts = tokens.flatMap((token, at) => {
    if (!/^[a-z0-9]+$/.test(token)) return []
    const isBeginning = token.length >= KEPT_CHARS || (isPrefix && at === tokens.length - 1)
    return [`'${token.slice(0, KEPT_CHARS)}'${isBeginning ? ':*' : ''}`]
  })
  return parts.length === 0 ? null : parts.join(' & ')
}

type Sent = { readonly like?: string; readonly words?: string; readonly all?: Sent[]; readonly any?: Sent[] }

/** A condition as `lcm.text_condition` reads it, or null when it says nothing. */
function sentCondition(condition: TextCondition): Sent | null {
  switch (condition.kind) {
    case 'anything':
      return null
    case 'text': {
      const like = likePattern(condition.text)
      return like === null ? null : { like }
    }
    case 'words': {
      const words = wordsQuery(condition.tokens, condition.isPrefix)
      return words === null ? null : { words }
    }
    case 'all':
    case 'any': {
      const parts = condition.of.map(sentCondition)
      const known = parts.filter((part) => part !== null)
      // Of a choice, one part that says nothing makes the whole say nothing.
      if (known.length === 0 || (condition.kind === 'any' && known.length < parts.length)) return null
      return condition.kind === 'all' ? { all: known } : { any: known }
    }
  }
}

/** Reads texts of the transaction's tenant that may be hits, the best first, and then the newest. Indexes say which. */
export async function readCandidates(
  query: Query,
  { conversationIds, condition, weighed, after, limit }: CandidateRequest,
): Promise<Candidate[]> {
  const weights = weighed.map((one) => ({ condition: sentCondition(one.condition) ?? {}, weight: one.weight }))
  const rows = await query(queries.candidates, [
    JSON.stringify(sentCondition(condition) ?? {}),
    JSON.stringify(weights),
    conversationIds,
    ...(after === null
      ? [null, null, null, null, null]
      : [after.score, after.createdAtMs, after.conversationId, after.kind, after.id]),
    limit,
  ])
  return rows.map((row) => fromStored(row) as unknown as Candidate)
}

/** What a part of a message says that is searched. */
export type PartTexts = {
  readonly conversationId: number
  readonly messageId: number
  readonly ordinal: number
  readonly tool_input: string | null
  readonly tool_output: string | null
  /** Of reasoning. */
  readonly text_content: string | null
}

/** What tools were given and gave in some messages, and reasoning, in the order of the parts. */
export async function readPartTexts(
  query: Query,
  tenant: string,
  messages: readonly Pick<Candidate, 'conversationId' | 'id'>[],
): Promise<PartTexts[]> {
  if (messages.length === 0) return []
  const ids = messages.map(({ id }) => Number(id.slice('msg_'.length)))
  const conversations = messages.map(({ conversationId }) => conversationId)
  const rows = await query(queries.partTexts, [tenant, conversations, ids])
  return rows.map((row) => fromStored(row) as unknown as PartTexts)
}

/** Counts texts of the transaction's tenant that may be hits, for each condition up to a limit. */
export async function countTexts(query: Query, conditions: readonly TextCondition[], most: number): Promise<number[]> {
  const sent = conditions.map((condition) => sentCondition(condition) ?? {})
  const rows = await query<{ n: number }>(queries.counts, [JSON.stringify(sent), most])
  return rows.map(({ n }) => Number(n))
}

/** How many messages and summaries a tenant has. */
export async function countAllTexts(query: Query, tenant: string): Promise<number> {
  const [found] = await query<{ n: number }>(queries.texts, [tenant])
  return Number(found?.n ?? 0)
}

/** What a list shows of conversations beside their hits. */
export const readLabels = (
  query: Query,
  tenant: string,
  conversationIds: readonly number[],
): Promise<{ conversationId: number; label: string; messages: number }[]> =>
  query(queries.conversations, [tenant, conversationIds])
