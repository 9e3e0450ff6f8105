import { fitting } from '../../agents/expand-query/granted-reader.ts'
import { ExpandQueryInput, type ExpandQueryResult, MOST_AGENT_TOKENS } from '../../contract/expand-query.ts'
import { FileView } from '../../contract/file.ts'
import type { Description } from '../../contract/lineage.ts'
import { type Expansion, type GrepHit, GrepInput } from '../../contract/retrieval.ts'
import { LcmError } from '../../errors.ts'
import type { Lcm } from '../../lcm.ts'
import { conversationOf, findNode } from '../../systems/node-id.ts'
import { time } from '../cli/parse.ts'
import { PinnedView } from './pinned.ts'
import { MOST_HITS, type ToolInput } from './tool-inputs.ts'

const DEFAULT_HITS = 20
/** At most this many ids of a list are in an answer, with the whole number beside them. */
const MOST_IDS = 50
/** What a hit in a file costs besides its excerpt. */
const TOKENS_A_HIT = 25
/** At most this many places of a hit are shown. */
const MOST_MATCHES = 20

/** What the tools do, on the present state of the memory. */
export class Tools {
  readonly #lcm: () => Promise<Lcm>
  readonly #pinned: number | null

  /** @param pinned the one conversation that may be read, or null for all */
  constructor(lcm: () => Promise<Lcm>, pinned: number | null) {
    this.#lcm = lcm
    this.#pinned = pinned
  }

  async grep(input: ToolInput<'lcm_grep'>, signal: AbortSignal) {
    const lcm = await this.#lcm()
    if (input.within !== undefined) this.#find(lcm, input.within)
    const { after, before, limit = DEFAULT_HITS, sort = 'relevance', ...asked } = input
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
      const answer = { ...facts, hits: hits.map(shortened) }
      // A page that is too large is requested again as a smaller one, so that its cursor fits.
      if (wanted === 1 || lcm.estimator.count(JSON.stringify(answer)) <= MOST_AGENT_TOKENS) return answer
    }
  }

  async describe({ id, offset = 0, tokenCap, ...part }: ToolInput<'lcm_describe'>, signal: AbortSignal) {
    const lcm = await this.#lcm()
    this.#find(lcm, id)
    const cap = this.#cap(lcm, tokenCap)
    const view = viewOf(part)
    if (view !== null) return await fileContent(lcm, { id, view, offset, cap }, signal)
    // A token is seldom more than eight characters. A longer text is cut by its count.
    const described = this.#shown(lcm, lcm.retrieval.describe(id, offset + cap * 8))
    const content = fitting(described.content.slice(offset), cap, lcm.estimator)
    const end = offset + content.length
    return {
      ...withShortLists(described),
      content,
      offset,
      isCut: end < described.contentChars,
      nextOffset: end < described.contentChars && content !== '' ? end : null,
      contentTokens: lcm.estimator.count(content),
    }
  }

  async expand({
    summaryId,
    depth = 1,
    includeMessages = false,
    tokenCap,
    cursor,
  }: ToolInput<'lcm_expand'>): Promise<Expansion> {
    const lcm = await this.#lcm()
    this.#find(lcm, summaryId)
    const cap = this.#cap(lcm, tokenCap)
    const expansion = lcm.retrieval.expand(
      { summaryId, depth, includeMessages, tokenCap: cap, cursor },
      { countOf: (text) => lcm.estimator.count(text), conversationIds: this.#conversations(undefined) },
    )
    return this.#shown(lcm, expansion)
  }

  async expandQuery(input: ToolInput<'lcm_expand_query'>, signal: AbortSignal): Promise<ExpandQueryResult> {
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

type FilePart = Pick<ToolInput<'lcm_describe'>, 'page' | 'lines' | 'find' | 'regex' | 'fromRow'>

/** The part of a file that is asked for, or null. */
function viewOf({ page, lines, find, regex = false, fromRow = 0 }: FilePart): FileView | null {
  if (find !== undefined)
    return { kind: 'search', query: find, isRegex: regex, matchCase: false, fromRow, limit: MOST_HITS }
  if (lines !== undefined) {
    const [first = 1, last = first] = lines.split('-').map(Number)
    return FileView.parse({ kind: 'lines', first: Math.max(1, first), last: Math.max(1, last) })
  }
  return page === undefined ? null : { kind: 'page', page }
}

type FileAsked = { readonly id: string; readonly view: FileView; readonly offset: number; readonly cap: number }

/** A part of the content of a file, within the cap on tokens. */
async function fileContent({ fileReader, estimator }: Lcm, { id, view, offset, cap }: FileAsked, signal: AbortSignal) {
  const { state, text, hits, next } = await fileReader.read(id, view, signal)
  const { path: _, ...file } = state
  if (view.kind === 'search') {
    const shown: typeof hits = []
    let left = cap
    for (const hit of hits) {
      left -= estimator.count(hit.excerpt) + TOKENS_A_HIT
      if (left < 0 && shown.length > 0) break
      shown.push(hit)
    }
    return { id, kind: 'file', file, hits: shown, next: hits[shown.length]?.row ?? next }
  }
  const content = fitting(text.slice(offset), cap, estimator)
  const end = offset + content.length
  const isCut = end < text.length && content !== ''
  return {
    id,
    kind: 'file',
    file,
    content,
    offset,
    isCut,
    nextOffset: isCut ? end : null,
    next: isCut ? null : next,
    contentTokens: estimator.count(content),
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

const withShortLists = ({ sources, dependents, coveredBy, fileIds, ...facts }: Description) => ({
  ...facts,
  sources: sources.slice(0, MOST_IDS),
  dependents: dependents.slice(0, MOST_IDS),
  dependentCount: dependents.length,
  coveredBy: coveredBy.slice(0, MOST_IDS),
  coveredByCount: coveredBy.length,
  fileIds: fileIds.slice(0, MOST_IDS),
})
