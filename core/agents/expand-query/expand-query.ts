import type { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import type { Clock } from '#core/clock.ts'
import type { ExpandCitation, ExpandQueryInput, ExpandQueryResult, Grant } from '#core/contract/expand-query.ts'
import { MOST_AGENT_TOKENS } from '#core/contract/lists.ts'
import { type NewNonce, randomNonce } from '#core/models/prompts/nonce.ts'
import { askInOrder, reasonsOf } from '#core/models/summarizers/ask-in-order.ts'
import { SummarizerFailure } from '#core/models/summarizers/summarizer.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import { nodesBetween } from '#core/search/planning/filters.ts'
import type { ConfiguredSummarizers } from '#core/settings/configured-summarizers.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { messageNodeId } from '#core/systems/reading/node-id.ts'
import { Grants } from '../grants/grants.ts'
import type { Scope } from '../grants/scope.ts'
import { type Candidates, findCandidates } from './candidates.ts'
import { type CitedAnswer, checkCitations } from './cited-answer.ts'
import { foundPassages, PassageReader } from './found-passages.ts'
import { GrantedReader } from './granted-reader.ts'
import { NOT_FOUND } from './reader-prompt.ts'

/** A reading that takes longer than this is not worth waiting for. */
const GRANT_MS = 5 * 60_000
const MOST_CALLS = 40
/** How many nodes a model is told to begin with. */
const MOST_LISTED = 6

export type ExpandQueryOptions = {
  readonly db: ReadDb
  readonly reader: MemoryReader
  readonly retrieval: RetrievalEngine
  readonly estimator: TokenEstimator
  readonly summarizers: ConfiguredSummarizers
  readonly clock: Clock
  /** How many tokens are read when the caller names no number. */
  readonly defaultTokens: number
  /** Replaced by tests in which a prompt has to be the same every time. */
  readonly newNonce?: NewNonce
}

type ComposedAnswer = {
  readonly answer: string
  readonly citations: readonly ExpandCitation[]
  readonly droppedIds: readonly string[]
  readonly provider: string | null
  readonly model: string | null
  readonly truncated: boolean
  readonly notes: readonly string[]
}

/**
 * Answers a question from what some summaries cover, so that the caller need not read it. A model may describe and
 * expand nodes under a grant, which limits what, how much and for how long it reads. Without a model passages of what a
 * search for the question finds are returned, in its order. Both answers name the ids on which they rest.
 */
export class ExpandQuery {
  readonly grants: Grants
  readonly #options: ExpandQueryOptions
  readonly #reader: GrantedReader

  constructor(options: ExpandQueryOptions) {
    this.#options = options
    this.grants = new Grants(options.clock)
    this.#reader = new GrantedReader({ ...options, grants: this.grants })
  }

  /**
   * @param limits what may be read at all, when the question is asked under a grant
   * @throws LcmError not_found; cancelled; invalid_argument, also for a summarizer that is not configured, and for a range
   * of messages whose ends are not in one conversation
   */
  async ask(
    input: ExpandQueryInput,
    signal: AbortSignal = new AbortController().signal,
    limits?: Scope,
  ): Promise<ExpandQueryResult> {
    const began = performance.now()
    const access = this.#options.summarizers.accessFor(input.summarizer)
    const question = input.query ? `${input.prompt}\n${input.query}` : input.prompt
    const sought = input.query ?? input.prompt
    const between = this.#between(input)
    const candidates = await findCandidates(this.#options, { ...input, question: sought, limits }, signal)
    const cap = Math.min(input.tokenCap ?? this.#options.defaultTokens, MOST_AGENT_TOKENS)
    const grant = this.grants.issue({
      conversationIds: candidates.conversationIds,
      rootIds: candidates.ids,
      depth: input.depth,
      tokenCap: cap,
      ttlMs: GRANT_MS,
      mostCalls: MOST_CALLS,
    })
    this.#reader.reach(grant, {
      allows: (id) => (limits?.allows(id) ?? true) && (between === null || between.has(id)),
    })
    try {
      const { answer, failures } = await askInOrder(
        candidates.ids.length === 0 ? [] : access,
        (one) => this.#fromModel(one, grant, { ...input, question }, candidates, signal),
        signal,
      )
      const dropped = failures.flatMap(({ failure }) => (failure instanceof UncitedAnswer ? failure.dropped : []))
      const told = answer ?? (await this.#fromPassages(grant, sought, candidates, cap, signal))
      return {
        ...told,
        citations: [...told.citations],
        droppedIds: [...new Set([...told.droppedIds, ...dropped])],
        notes: [...told.notes],
        tokensUsed: this.grants.get(grant.id).usedTokens,
        grant: this.grants.revoke(grant.id),
        fallback: told.provider === null && failures.length > 0 ? reasonsOf(failures) : null,
        candidates: [...candidates.ids],
        tookMs: performance.now() - began,
      }
    } finally {
      this.grants.revoke(grant.id)
      this.#reader.forget(grant)
    }
  }

  /** Returns the ids of what lies between two messages, or null without them. */
  #between(input: ExpandQueryInput): ReadonlySet<string> | null {
    const nodes = nodesBetween(this.#options.db, this.#options.reader, input)
    return nodes && new Set([...nodes.messages.map(messageNodeId), ...nodes.summaryIds])
  }

  async #fromModel(
    access: ReturnType<ConfiguredSummarizers['accessFor']>[number],
    grant: Grant,
    input: ExpandQueryInput & { readonly question: string },
    candidates: Candidates,
    signal: AbortSignal,
  ): Promise<ComposedAnswer> {
    const code = (this.#options.newNonce ?? randomNonce)()
    const { readWithModel } = await import('./model-reader.ts')
    const text = await readWithModel(
      {
        access,
        code,
        grant,
        grants: this.grants,
        reader: this.#reader,
        question: input.question,
        candidates: this.#listed(candidates),
      },
      signal,
    )
    const after = this.grants.get(grant.id)
    const checked = checkCitations(text, new Set(after.readIds))
    if (checked.cited.length === 0 && !checked.text.startsWith(NOT_FOUND)) throw new UncitedAnswer(checked)
    const { provider } = access
    return {
      answer: checked.text,
      citations: await this.#citations(checked, input.question, signal),
      droppedIds: checked.dropped,
      provider: provider.name,
      model: provider.model,
      truncated: after.state === 'used_up',
      notes: checked.dropped.length > 0 ? ['The model named ids that it had not read; they were taken out.'] : [],
    }
  }

  /** Returns, for each cited source, the passage that supports question and answer best. */
  async #citations({ text, cited }: CitedAnswer, question: string, signal: AbortSignal): Promise<ExpandCitation[]> {
    const passages = new PassageReader({ db: this.#options.db, question, answer: text, signal }, cited)
    const found = new Map((await passages.of(cited)).map((passage) => [passage.id, passage]))
    return cited.flatMap((id) => found.get(id) ?? this.#beginning(id) ?? [])
  }

  #beginning(id: string): ExpandCitation | null {
    const node = this.#options.retrieval.describe(id, 200)
    if (node.kind === 'file') return null
    const { kind, conversationId, seq, role, createdAtMs, content } = node
    const place = { field: 'content' as const, part: null, start: 0, end: content.length }
    return { id, kind, conversationId, seq, role, createdAtMs, ...place, excerpt: content.toWellFormed(), matches: [] }
  }

  async #fromPassages(
    grant: Grant,
    question: string,
    { ids }: Candidates,
    cap: number,
    signal: AbortSignal,
  ): Promise<ComposedAnswer> {
    const { db, retrieval, estimator } = this.#options
    const reach = this.#reader.reach(grant)
    const left = cap - this.grants.get(grant.id).usedTokens
    const pages = foundPassages({ db, retrieval, question, reach, signal })
    const answer = await passageAnswer(pages, left, estimator)
    if (answer.citations.length > 0) {
      const [first] = answer.citations
      this.grants.use(grant.id, first?.conversationId ?? -1)
      this.grants.charge(grant.id, answer.tokens, [...new Set(answer.citations.map(({ id }) => id))])
    }
    const nothing =
      ids.length === 0
        ? 'A search for the question finds nothing.'
        : 'Nothing below the summaries shares words with the question.'
    return {
      answer: answer.text,
      citations: answer.citations,
      droppedIds: [],
      provider: null,
      model: null,
      truncated: answer.truncated,
      notes: answer.citations.length > 0 ? [] : [answer.truncated ? 'No passage fits into so few tokens.' : nothing],
    }
  }

  #listed({ ids }: Candidates): string {
    return ids
      .slice(0, MOST_LISTED)
      .map((id) => {
        const { kind, depth, messages, tokens } = this.#options.retrieval.describe(id, 0)
        const facts = [
          kind,
          depth === null ? null : `depth ${depth}`,
          messages === null ? null : `${messages} messages`,
        ]
        return `- ${id} (${[...facts, `${tokens} tokens`].filter((fact) => fact !== null).join(', ')})`
      })
      .join('\n')
  }
}

/** Thrown when a model's answer cites nothing that can be looked up. */
class UncitedAnswer extends SummarizerFailure {
  readonly dropped: readonly string[]

  constructor({ dropped }: CitedAnswer) {
    super(
      'failed',
      dropped.length > 0 ? 'It cited only ids that it had not read.' : 'It cited nothing that it had read.',
    )
    this.dropped = dropped
  }
}

type PassageAnswer = {
  readonly text: string
  readonly tokens: number
  readonly citations: readonly ExpandCitation[]
  /** True when passages were left out because the tokens did not suffice. */
  readonly truncated: boolean
}

/** With fewer tokens left, the search is not asked for another page. */
const LEAST_TOKENS = 32

/**
 * Returns the best passages, each with its id, as a text of at most `cap` tokens. The best comes first, and every
 * passage of a page that still fits is taken. What says the same again is left out.
 */
async function passageAnswer(
  pages: AsyncIterable<readonly ExpandCitation[]>,
  cap: number,
  estimator: TokenEstimator,
): Promise<PassageAnswer> {
  const citations: ExpandCitation[] = []
  const excerpts = new Set<string>()
  let [text, tokens, truncated] = ['', 0, false]
  for await (const page of pages) {
    const before = citations.length
    for (const citation of page) {
      if (excerpts.has(citation.excerpt)) continue
      const longer = `${text === '' ? '' : `${text}\n\n`}[${citation.id}] ${citation.excerpt}`
      const count = estimator.count(longer)
      if (count > cap) {
        truncated = true
        continue
      }
      excerpts.add(citation.excerpt)
      citations.push(citation)
      text = longer
      tokens = count
    }
    if (truncated && (citations.length === before || cap - tokens < LEAST_TOKENS)) break
  }
  return { text, tokens, citations, truncated }
}
