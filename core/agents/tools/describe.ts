import { FileView } from '#core/contract/file.ts'
import type { Description } from '#core/contract/lineage.ts'
import { type Outline, OutlineInput } from '#core/contract/outline.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import { fitting } from '../expand-query/granted-reader.ts'
import type { Reading } from './reading.ts'
import { MOST_HITS, type ToolInput } from './tool-inputs.ts'

/** An answer lists at most this many ids of a kind. Their whole number is in a field of its own. */
export const MOST_IDS = 50
/** The tokens of a hit in a file without its excerpt. */
const TOKENS_A_HIT = 25

type TextRequest = { readonly id: string; readonly offset: number; readonly cap: number }

/** Describes one id, or gives an overview when no id is given. */
export async function describe(
  reading: Reading,
  { id, section, conversationId, ...part }: ToolInput<'lcm_describe'>,
  signal: AbortSignal,
) {
  const { outliner, estimator } = reading.services
  const cap = reading.capFor(part.tokenCap)
  if (id === undefined) {
    const asked = conversationId === undefined ? undefined : reading.conversations([conversationId])?.[0]
    const outline = outliner.outline(OutlineInput.parse({ conversationId: asked, section }), reading.scope ?? undefined)
    return outlineWithin(reading.shown(outline), cap, estimator)
  }
  reading.find(id)
  const asked = { id, cap, offset: part.offset }
  const view = viewOf(part)
  return view === null ? textWithin(reading, asked) : fileWithin(reading, { ...asked, view }, signal)
}

/** Describes one id, with as much of its text as fits. */
function textWithin(reading: Reading, { id, offset, cap }: TextRequest) {
  const { retrieval, estimator } = reading.services
  // A token is seldom more than eight characters. A longer text is cut by its count.
  const described = reading.shown(retrieval.describe(id, offset + cap * 8))
  const content = fitting(described.content.slice(offset), cap, estimator)
  const end = offset + content.length
  const isCut = end < described.contentChars
  return {
    ...withShortLists(described),
    content,
    offset,
    isCut,
    nextOffset: isCut && content !== '' ? end : null,
    contentTokens: estimator.count(content),
  }
}

const withShortLists = ({ sources, dependents, coveredBy, fileIds, ...facts }: Description) => ({
  ...facts,
  sources: sources.slice(0, MOST_IDS),
  dependents: dependents.slice(0, MOST_IDS),
  dependentCount: dependents.length,
  coveredBy: coveredBy.slice(0, MOST_IDS),
  coveredByCount: coveredBy.length,
  fileIds: fileIds.slice(0, MOST_IDS),
})

/**
 * Cuts an outline to the cap. Summaries are given their texts in the order of their use: in an overview the deepest
 * first, because they cover most of the conversation, and among recent ones the newest first.
 */
function outlineWithin(outline: Outline, cap: number, estimator: TokenEstimator) {
  let left = cap
  const take = (text: string): string => {
    const taken = fitting(text, left, estimator)
    left -= estimator.count(taken)
    return taken
  }
  const { section, conversation, conversations, summaries, messages, ...facts } = outline
  const first = [...summaries.keys()]
  if (section === 'overview') first.sort((a, b) => (summaries[b]?.depth ?? 0) - (summaries[a]?.depth ?? 0) || a - b)
  if (section === 'recent') first.reverse()
  const titled = <T extends { readonly title: string | null }>(one: T): T => ({
    ...one,
    title: one.title === null ? null : take(one.title),
  })
  const named = conversation && titled(conversation)
  const contents = new Map(first.map((index) => [index, take(summaries[index]?.content ?? '')]))
  const shownMessages = section === 'recent' ? messages.toReversed() : messages
  const excerpts = new Map(shownMessages.map(({ id, excerpt }) => [id, take(excerpt)]))
  return {
    section,
    conversation: named,
    conversations: conversations.map(titled),
    ...facts,
    summaries: summaries.map(({ excerpt: _, sources, dependents, content, contentChars, ...card }, index) => {
      const shown = contents.get(index) ?? ''
      return { ...card, content: shown, isCut: shown.length < contentChars }
    }),
    messages: messages.map(({ sources, dependents, ...card }) => ({ ...card, excerpt: excerpts.get(card.id) ?? '' })),
  }
}

type FilePart = Pick<ToolInput<'lcm_describe'>, 'page' | 'lines' | 'find' | 'regex' | 'fromRow'>

/** Returns which part of a file is asked for, or null when none is. */
function viewOf({ page, lines, find, regex, fromRow }: FilePart): FileView | null {
  if (find !== undefined)
    return { kind: 'search', query: find, isRegex: regex, matchCase: false, fromRow, limit: MOST_HITS }
  if (lines !== undefined) {
    const [first = 1, last = first] = lines.split('-').map(Number)
    return FileView.parse({ kind: 'lines', first: Math.max(1, first), last: Math.max(1, last) })
  }
  return page === undefined ? null : { kind: 'page', page }
}

/** Returns a part of the content of a file, within the cap. */
async function fileWithin(
  { services: { fileReader, estimator } }: Reading,
  { id, view, offset, cap }: TextRequest & { readonly view: FileView },
  signal: AbortSignal,
) {
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
