import { fitting } from '../../agents/expand-query/granted-reader.ts'
import { ExpandQueryInput, type ExpandQueryResult, MOST_AGENT_TOKENS } from '../../contract/expand-query.ts'
import { OutlineInput } from '../../contract/outline.ts'
import { type Expansion, type GrepHit, GrepInput } from '../../contract/retrieval.ts'
import { LcmError } from '../../errors.ts'
import type { Lcm } from '../../lcm.ts'
import { conversationOf, findNode } from '../../systems/node-id.ts'
import { time } from '../cli/parse.ts'
import { describeWithin, fileWithin, MOST_IDS, outlineWithin, viewOf } from './describe.ts'
import { fitInput } from './fit-input.ts'
import { PinnedView } from './pinned.ts'
import { INPUTS, MOST_HITS, type ToolInput, type ToolName } from './tool-inputs.ts'

const DEFAULT_HITS = 20
/** At most this many places of a hit are shown. */
const MOST_MATCHES = 20
/** Less of a text than this is not worth reading, so that the next page begins with it. */
const LEAST_PART_TOKENS = 100

/** What the tools do, on the present state of the memory. */
export class Tools {
  readonly #lcm: () => Promise<Lcm>
  readonly #pinned: number | null

  /** @param pinned the one conversation that may be read, or null for all */
  constructor(lcm: () => Promise<Lcm>, pinned: number | null) {
    this.#lcm = lcm
    this.#pinned = pinned
  }

  /**
   * Answers a call. What was changed or ignored of its arguments stands in the notes of the answer.
   * @throws LcmError
   */
  async call(name: ToolName, given: unknown, signal: AbortSignal): Promise<object> {
    const { input, notes } = fitInput(INPUTS[name], given)
    const answer: object & { notes?: readonly string[] } = await this.#answer(name, input, signal)
    const told = [...notes, ...withoutEffect(name, input), ...(answer.notes ?? [])]
    return told.length > 0 ? { ...answer, notes: told } : answer
  }

  #answer(name: ToolName, input: object, signal: AbortSignal): Promise<object> {
    switch (name) {
      case 'lcm_grep':
        return this.#grep(input as ToolInput<'lcm_grep'>, signal)
      case 'lcm_describe':
        return this.#describe(input as ToolInput<'lcm_describe'>, signal)
      case 'lcm_expand':
        return this.#expand(input as ToolInput<'lcm_expand'>)
      case 'lcm_expand_query':
        return this.#expandQuery(input as ToolInput<'lcm_expand_query'>, signal)
    }
  }

  async #grep(input: ToolInput<'lcm_grep'>, signal: AbortSignal) {
    const lcm = await this.#lcm()
    if (input.within !== undefined) this.#find(lcm, input.within)
    const { after, before, limit = DEFAULT_HITS, sort = 'relevance', full = false, ...asked } = input
    for (let wanted = Math.min(limit, MOST_HITS); ; wanted = Math.max(1, Math.floor(wanted / 2))) {
      const query = GrepInput.parse({
        ...asked,
        sort,
        limit: wanted,
        afterMs: timeOf('after', after),
        beforeMs: timeOf('before', before),
        conversationIds: this.#conversations(input.conversationIds),
      })
      const { hits, ...facts } = this.#shown(lcm, await lcm.retrieval.grep(query, signal))
      const shown = hits.map(shortened)
      const answer = { ...facts, hits: full ? shown.map((hit) => withText(lcm, hit, wanted)) : shown }
      // A page that is too large is requested again as a smaller one, so that its cursor fits.
      if (wanted === 1 || lcm.estimator.count(JSON.stringify(answer)) <= MOST_AGENT_TOKENS) return answer
    }
  }

  async #describe({ id, section, conversationId, ...part }: ToolInput<'lcm_describe'>, signal: AbortSignal) {
    const lcm = await this.#lcm()
    const cap = this.#cap(lcm, part.tokenCap)
    if (id === undefined) {
      const [only] = this.#conversations(conversationId === undefined ? undefined : [conversationId]) ?? []
      const outline = lcm.outliner.outline(OutlineInput.parse({ conversationId: only, section }), {
        allowsConversation: (one) => this.#pinned === null || one === this.#pinned,
        allows: () => true,
      })
      return outlineWithin(this.#shown(lcm, outline), cap, lcm.estimator)
    }
    this.#find(lcm, id)
    const asked = { id, cap, offset: part.offset ?? 0 }
    const view = viewOf(part)
    if (view !== null) return await fileWithin(lcm, { ...asked, view }, signal)
    return describeWithin(lcm, asked, (answer) => this.#shown(lcm, answer))
  }

  async #expand({ summaryId, depth = 1, includeMessages = false, tokenCap, cursor }: ToolInput<'lcm_expand'>) {
    const lcm = await this.#lcm()
    this.#find(lcm, summaryId)
    const cap = this.#cap(lcm, tokenCap)
    const expansion = lcm.retrieval.expand(
      { summaryId, depth, includeMessages, tokenCap: cap, cursor },
      { countOf: (text) => lcm.estimator.count(text), conversationIds: this.#conversations(undefined) },
    )
    return withFirstParts(lcm, this.#shown(lcm, expansion), cap)
  }

  async #expandQuery(input: ToolInput<'lcm_expand_query'>, signal: AbortSignal): Promise<ExpandQueryResult> {
    const lcm = await this.#lcm()
    for (const id of input.summaryIds ?? []) this.#find(lcm, id)
    const [only] = this.#conversations(input.conversationId === undefined ? undefined : [input.conversationId]) ?? []
    const told = await lcm.expandQuery.ask(ExpandQueryInput.parse({ ...input, conversationId: only }), signal)
    return this.#shown(lcm, told)
  }

  /** Removes from an answer what must not be seen through this server. */
  #shown<T>(lcm: Lcm, answer: T): T {
    return this.#pinned === null ? answer : new PinnedView(lcm.read, this.#pinned).of(answer)
  }

  #cap(lcm: Lcm, asked: number | undefined): number {
    return Math.min(asked ?? lcm.settings.maxExpandTokens, MOST_AGENT_TOKENS)
  }

  /** @throws LcmError not_found; grant_scope outside of the conversation that the server is for */
  #find(lcm: Lcm, id: string): void {
    if (this.#pinned === null) {
      findNode(lcm.read, id)
      return
    }
    const conversationId = conversationOf(lcm.read, id)
    // A dependent of it may be in another conversation, so nothing more is said.
    if (conversationId === null)
      throw new LcmError('not_found', `There is no message, summary or file "${id}": look for it with lcm_grep.`)
    if (conversationId !== this.#pinned) throw this.#outside(id)
  }

  #conversations(asked: readonly number[] | undefined): number[] | undefined {
    if (this.#pinned === null) return asked && [...asked]
    const other = asked?.find((id) => id !== this.#pinned)
    if (other !== undefined) throw this.#outside(`conversation ${other}`)
    return [this.#pinned]
  }

  #outside(what: string): LcmError {
    return new LcmError(
      'grant_scope',
      `This server gives access to conversation ${this.#pinned} only, not to ${what}: leave it out, or ask for another server.`,
    )
  }
}

/** Says which arguments have no effect beside the others. */
function withoutEffect(name: ToolName, input: object): string[] {
  const given = new Map(Object.entries(input))
  const ignored = (names: readonly string[], why: string): string[] =>
    names.filter((one) => given.has(one)).map((one) => `${one} was ignored: ${why}.`)
  if (name === 'lcm_grep' && (given.get('mode') ?? 'full_text') !== 'full_text')
    return ignored(['match'], 'it belongs to full text')
  if (name !== 'lcm_describe') return []
  if (!given.has('id'))
    return ignored(['offset', 'page', 'lines', 'find', 'regex', 'fromRow'], 'it belongs to one id, and none was given')
  return [
    ...ignored(['section', 'conversationId'], 'it belongs to an overview, which is given without id'),
    ...(given.has('find')
      ? ignored(['page', 'lines', 'offset'], 'find was given')
      : ignored(['regex', 'fromRow'], 'it belongs to find')),
    ...(given.has('lines') && !given.has('find') ? ignored(['page'], 'lines was given') : []),
  ]
}

/** A hit with its whole text. Only a hit that is alone on its page may be cut. */
function withText({ retrieval, estimator }: Lcm, hit: ReturnType<typeof shortened>, hits: number) {
  const { content, contentChars } = retrieval.describe(hit.id, MOST_AGENT_TOKENS * 8)
  const shown = hits === 1 ? fitting(content, MOST_AGENT_TOKENS / 2, estimator) : content
  const isCut = shown.length < contentChars
  return { ...hit, content: shown, ...(isCut && { isCut, nextOffset: shown.length }) }
}

/**
 * Adds the first parts of texts that are larger than a page, as far as this page has room for them. The rest of each is
 * read with lcm_describe from `nextOffset`.
 */
function withFirstParts({ retrieval, estimator }: Lcm, expansion: Expansion, cap: number) {
  const { nodes, messages, tooLarge, ...facts } = expansion
  const parts = new Map<string, object>()
  let { tokens } = facts
  for (const id of tooLarge) {
    if (cap - tokens < Math.min(cap, LEAST_PART_TOKENS)) break
    const { kind, depth, seq, role, createdAtMs, ...described } = retrieval.describe(id, cap * 8)
    const content = fitting(described.content, cap - tokens, estimator)
    const partTokens = estimator.count(content)
    tokens += partTokens
    const place = kind === 'message' ? { seq, role, createdAtMs } : { kind, depth }
    const isCut = content.length < described.contentChars
    parts.set(id, { id, ...place, tokens: partTokens, content, isCut, nextOffset: isCut ? content.length : null })
  }
  const left = tooLarge.filter((id) => !parts.has(id))
  const isMessage = (part: object): boolean => 'role' in part
  const notes = [
    ...(parts.size > 0 ? ['Go on with a text that is cut by lcm_describe with its id and offset = nextOffset.'] : []),
    ...(left.length > 0 ? ['What stands in tooLarge is read with lcm_describe, piece by piece.'] : []),
  ]
  return {
    ...facts,
    tokens,
    nodes: [...nodes, ...[...parts.values()].filter((part) => !isMessage(part))],
    messages: [...messages, ...[...parts.values()].filter(isMessage)],
    tooLarge: left,
    ...(notes.length > 0 && { notes }),
  }
}

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  try {
    return time(text)
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    throw new LcmError('invalid_argument', `${name}: ${said}`)
  }
}

const shortened = ({ coveredBy, matches, ...hit }: GrepHit) => ({
  ...hit,
  matches: matches.slice(0, MOST_MATCHES),
  coveredBy: coveredBy.slice(0, MOST_IDS),
})
