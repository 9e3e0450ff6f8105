import { z } from 'zod'
import { type RemoteGrepInput, type RemoteHit, RemoteHits } from '../contract/remote.ts'
import { GrepInput } from '../contract/retrieval.ts'
import { badCursor, decodeCursor, encodeCursor } from '../cursor.ts'
import { LcmError } from '../errors.ts'
import {
  isQuestion,
  mayBeQuestion,
  type Query as Planned,
  planQuery,
  queryHash,
} from '../search/planning/plan-query.ts'
import { type AskedWord, tellingWords, typedWords } from '../search/planning/question-words.ts'
import { ExpressionMatcher, type Matcher } from '../search/query/matcher.ts'
import type { Expression } from '../search/query/query.ts'
import { snippetOf } from '../search/snippet.ts'
import { joinedParts, searchedOf } from '../systems/reading/texts.ts'
import { throwIfCancelled } from '../yielding.ts'
import { LOOKING_MS, type Postgres, type Query } from './postgres/connect.ts'
import {
  type Candidate,
  type CandidatePosition,
  countAllTexts,
  countTexts,
  readCandidates,
  readLabels,
  readPartTexts,
  type TextCondition,
  type WeighedCondition,
} from './postgres/search-rows.ts'
import { requireOurs } from './remote-stores.ts'

/** Texts that are read with one statement: few at first, and more where few are hits. */
const FIRST_BATCH = 500
const LAST_BATCH = 8000
/**
 * A page ends after this time with the hits that it has, and the next one goes on. It is a limit for the person who
 * waits, and so it is measured by the clock: how many texts a server sends meanwhile depends on the way to it.
 */
const PAGE_MS = 10_000
/** Rows with a word are counted up to this. */
const MOST_ROWS = 60_000
/** Above every sum of weights. */
const HAS_ALL = 1000

const Position = z.object({
  of: z.string(),
  /** The weights of the words of a question, as they were for the first page. */
  weights: z.array(z.number()).nullable(),
  score: z.number(),
  createdAtMs: z.number(),
  conversationId: z.number(),
  kind: z.enum(['message', 'leaf', 'condensed']),
  id: z.string(),
})

/** What is asked of the server, and what decides about each text that it sends. */
type TenantQuery = {
  readonly matcher: Matcher
  readonly condition: TextCondition
  readonly weighed: readonly WeighedCondition[]
  /** The words of a question and their weights. Null when the query is no question. */
  readonly question: { readonly words: readonly AskedWord[]; readonly weights: readonly number[] } | null
}

type TenantSearch = RemoteGrepInput & { readonly tenant: string }

/**
 * Searches the messages (with what tools were given and gave, and reasoning) and summaries of all conversations of a
 * tenant. The server says by its indexes which texts may be hits; each is then read and decided as every search here
 * does.
 * @throws LcmError invalid_argument, unsupported for patterns that only a backtracking engine understands, locked when
 * a statement takes too long
 */
export async function searchTenant(
  from: Postgres,
  { tenant, limit, cursor, conversationIds, ...sought }: TenantSearch,
  signal: AbortSignal,
): Promise<RemoteHits> {
  await requireOurs(from, 'A search in all conversations of a tenant needs the indexes of LCM Inspector')
  const input = GrepInput.parse({ ...sought, conversationIds })
  const planned = await planQuery(input, signal)
  if (planned === null) {
    return { tenant, hits: [], conversations: [], nextCursor: null, isQuestion: false, notes: [], readTexts: 0 }
  }
  if (planned.strict.matcher.elsewhere) {
    planned.strict.matcher.elsewhere.close()
    throw new LcmError(
      'unsupported',
      'Patterns with look-around or back-references are not searched in a database: pull the conversation, and search the file.',
    )
  }
  const of = queryHash(input)
  const start = cursor === undefined ? null : decodeCursor(cursor, Position)
  if (start !== null && start.of !== of) throw badCursor('it belongs to another query')
  const find = async (query: Query): Promise<HitPage> => {
    const page = { tenant, limit, conversationIds: conversationIds ?? null, of, start, signal }
    const asksQuestion = start === null ? isQuestion(input, planned) : start.weights !== null
    const question = asksQuestion ? await askQuestion(query, tenant, planned.words, start?.weights ?? null) : null
    const strict = await readPage(query, question ?? askWords(input, planned), page)
    const found = strict.hits.length
    const isTooLittle = strict.nextCursor === null && (found === 0 || (typedWords(planned.words) > 1 && found < limit))
    if (question !== null || start !== null || !mayBeQuestion(input, planned) || !isTooLittle) {
      return strict
    }
    const loose = await askQuestion(query, tenant, planned.words, null)
    return loose === null ? strict : readPage(query, loose, page)
  }
  const work = async (query: Query): Promise<RemoteHits> => {
    const found = await find(query)
    const ids = [...new Set(found.hits.map(({ conversationId }) => conversationId))]
    const conversations = await readLabels(query, tenant, ids)
    return { ...found, tenant, conversations, notes: [...planned.notes, ...earlyEnd(found, limit)] }
  }
  return from.read(tenant, work, LOOKING_MS)
}

type HitPage = Pick<RemoteHits, 'hits' | 'nextCursor' | 'isQuestion' | 'readTexts'>

/** Says that a page ended because of its time. Whether it did follows from what it has. */
function earlyEnd({ hits, nextCursor, readTexts }: HitPage, limit: number): string[] {
  if (nextCursor === null || hits.length >= limit) return []
  return [
    `This page ended after ${PAGE_MS / 1000} seconds with what was found in ${readTexts} texts: the next page goes on.`,
  ]
}

function askWords({ mode, match }: GrepInput, { strict, loose, expression }: Planned): TenantQuery {
  const asked = match === 'any' && loose ? loose : expression
  if (mode !== 'full_text' || asked === null) {
    return { matcher: strict.matcher, condition: strict.formula, weighed: [], question: null }
  }
  return { matcher: new ExpressionMatcher(asked), condition: conditionOf(asked), weighed: [], question: null }
}

/** Returns null when no word of the question stands anywhere. */
async function askQuestion(
  query: Query,
  tenant: string,
  words: readonly AskedWord[],
  known: readonly number[] | null,
): Promise<TenantQuery | null> {
  const weights = known ?? (await weightsOf(query, tenant, words))
  const told = words.flatMap((word, at) => {
    const weight = weights[at] ?? 0
    return weight > 0 ? [{ word, weighed: { condition: conditionOf(word.expression), weight } }] : []
  })
  if (told.length === 0) return null
  const conditions = told.map(({ weighed }) => weighed.condition)
  const all: WeighedCondition = { condition: { kind: 'all', of: conditions }, weight: HAS_ALL }
  return {
    matcher: new ExpressionMatcher({ kind: 'any', of: told.map(({ word }) => word.expression) }),
    condition: { kind: 'any', of: conditions },
    weighed: [...told.map(({ weighed }) => weighed), ...(told.length > 1 ? [all] : [])],
    question: { words: told.map(({ word }) => word), weights },
  }
}

/** The rarer a word, the more it tells. A word that stands nowhere, or nearly everywhere, weighs nothing. */
async function weightsOf(query: Query, tenant: string, words: readonly AskedWord[]): Promise<number[]> {
  const total = await countAllTexts(query, tenant)
  const conditions = words.map(({ expression }) => conditionOf(expression))
  const rowsOf = await countTexts(query, conditions, MOST_ROWS)
  const counted = words.map((word, at) => ({ at, word, rows: rowsOf[at] ?? 0 }))
  const telling = new Map(tellingWords(counted, total, true).map(({ at, rows }) => [at, rows]))
  return words.map((_, at) => {
    const rows = telling.get(at)
    return rows === undefined ? 0 : Math.round(Math.log(1 + (total + 1) / rows) * 1000) / 1000
  })
}

function conditionOf(expression: Expression): TextCondition {
  switch (expression.kind) {
    case 'term': {
      const { term } = expression
      if (term.kind === 'literal') return { kind: 'text', text: term.text }
      if (term.kind === 'stem') return { kind: 'words', tokens: [term.beginning], isPrefix: true }
      return { kind: 'words', tokens: term.tokens, isPrefix: term.isPrefix }
    }
    case 'all':
    case 'any':
      return { kind: expression.kind, of: expression.of.map(conditionOf) }
    case 'without':
      return conditionOf(expression.from)
  }
}

/** What is searched of a message, in this order; of a summary its content alone. */
const FIELDS = ['content', 'tool_input', 'tool_output', 'reasoning'] as const

/** Reads the texts in the parts of some messages at a time, and of no more messages than are looked at. */
async function* withFields(
  query: Query,
  tenant: string,
  candidates: readonly Candidate[],
): AsyncGenerator<{ readonly candidate: Candidate; readonly fields: readonly string[] }> {
  for (let from = 0; from < candidates.length; from += FIRST_BATCH) {
    const some = candidates.slice(from, from + FIRST_BATCH)
    const parts = await readPartTexts(
      query,
      tenant,
      some.filter(({ hasTools }) => hasTools),
    )
    const said = joinedParts(
      parts.map((part) => [
        `${part.conversationId} msg_${part.messageId}`,
        part.ordinal,
        part.tool_input,
        part.tool_output,
        part.text_content,
      ]),
    )
    for (const candidate of some) {
      const { kind, content, conversationId, id } = candidate
      const fields = kind === 'message' ? searchedOf(content, said.get(`${conversationId} ${id}`)) : [content]
      yield { candidate, fields }
    }
  }
}

type Page = {
  readonly tenant: string
  readonly limit: number
  readonly conversationIds: readonly number[] | null
  readonly of: string
  readonly start: CandidatePosition | null
  readonly signal: AbortSignal
}

async function readPage(
  query: Query,
  { matcher, condition, weighed, question }: TenantQuery,
  { tenant, limit, conversationIds, of, start, signal }: Page,
): Promise<HitPage> {
  const hits: RemoteHit[] = []
  const single = question?.words.map(({ text, expression }) => ({ text, matcher: new ExpressionMatcher(expression) }))
  const base = { hits, isQuestion: question !== null }
  const endMs = performance.now() + PAGE_MS
  let after = start
  let readTexts = 0
  const goOn = (): string | null => {
    if (after === null) return null
    const { score, createdAtMs, conversationId, kind, id } = after
    return encodeCursor({ of, weights: question?.weights ?? null, score, createdAtMs, conversationId, kind, id })
  }
  for (let size = FIRST_BATCH; ; size = Math.min(LAST_BATCH, size * 2)) {
    throwIfCancelled(signal, 'The search was cancelled.')
    const request = { conversationIds, condition, weighed, after, limit: size }
    const candidates: Candidate[] = await readCandidates(query, request)
    for await (const { candidate, fields } of withFields(query, tenant, candidates)) {
      after = candidate
      readTexts += 1
      if (!matcher.matches(fields)) continue
      const { content: _, score: _score, hasTools: _tools, ...hit } = candidate
      const words = single?.filter((one) => one.matcher.matches(fields)).map(({ text }) => text)
      const { field, ...shown } = snippetOf(fields, matcher)
      const found = { ...hit, ...shown, field: FIELDS[field], ...(words && { words }) }
      hits.push(RemoteHits.shape.hits.element.parse(found))
      if (hits.length === limit) return { ...base, nextCursor: goOn(), readTexts }
    }
    if (candidates.length < size) return { ...base, nextCursor: null, readTexts }
    if (performance.now() > endMs) return { ...base, nextCursor: goOn(), readTexts }
  }
}
