import { type GrepInput, GrepInput as GrepInputSchema } from '../contract/retrieval.ts'
import type { Recovery } from '../contract/trace.ts'
import type { Memory } from '../memory/memory.ts'
import type { FoundIds } from '../search/grep.ts'
import type { FoundNode } from '../systems/reading/node-id.ts'
import { tokenCount } from '../window/window.ts'
import type { Details } from './details.ts'
import type { GivenWindow } from './given-window.ts'
import { type Ladder, nodeFacts } from './ladder.ts'
import type { NodeFates } from './node-fates.ts'

/** At most this many queries are tried, and this many of those that find something are named. */
const MOST_TRIED = 7
const MOST_NAMED = 3
/** A hit behind this many others is not found by anybody. */
const PAGE = 20
/** It is hardly among the first of more hits than this, and ranking them takes long. */
const MOST_HITS = 1000

const keptOf = ({ fates }: NodeFates): number => fates.filter(({ fate }) => fate === 'kept').length

/**
 * Returns the summaries that have to be expanded, from the one that the model is given down to the nearest node in which
 * the details stand. Nothing has to be expanded for what it is given itself.
 */
export function recoveryByExpanding(
  memory: Memory,
  node: FoundNode,
  { way }: Ladder,
  fates: readonly NodeFates[],
  { given, isGiven }: { readonly given: GivenWindow; readonly isGiven: boolean },
): Recovery[] {
  const top = way.at(-1)
  if (isGiven || top === undefined || !given.has({ node: top })) return []
  const all = fates[0]?.fates.length ?? 0
  if (fates.at(-1) && keptOf(fates.at(-1) as NodeFates) === all) return []
  // The highest node that has all of them; without one, the foot of the ladder has them.
  const target = fates.findLastIndex((one) => keptOf(one) === all && all > 0)
  const opened = way.slice(target + 1).reverse()
  const steps = opened.map((summary) => ({
    id: memory.summaries.at(summary).id,
    depth: tokenCount(memory.summaries.at(summary).depth),
    tokens: sourceTokens(memory, summary),
    sources: memory.links.messagesOf(summary).length + (memory.links.sources[summary]?.length ?? 0),
  }))
  const end = target < 0 ? endAtFoot(memory, node) : endAtSummary(memory, way[target] as number)
  return [{ kind: 'expand', steps: [...steps, end], tokens: steps.reduce((sum, { tokens }) => sum + tokens, 0) }]
}

/** What expanding a summary by one level reads. */
function sourceTokens({ messages, summaries, links }: Memory, node: number): number {
  let tokens = messages.tokensIn(links.rangesOf(node))
  for (const source of links.sources[node] ?? []) tokens += tokenCount(summaries.at(source).tokens)
  return Math.max(0, Math.round(tokens))
}

function endAtSummary({ summaries }: Memory, node: number) {
  const { id, depth } = summaries.at(node)
  return { id, depth: tokenCount(depth), tokens: 0, sources: 0 }
}

function endAtFoot({ summaries }: Memory, { id, kind }: FoundNode) {
  const depth = kind === 'message' ? -1 : tokenCount(summaries.at(summaries.nodeOf(id))?.depth ?? 0)
  return { id, depth, tokens: 0, sources: 0 }
}

type SearchContext = {
  searchIds(input: GrepInput, most: number, signal?: AbortSignal): Promise<FoundIds | null>
  readonly memory: Memory
  readonly node: FoundNode
  readonly details: Details
  readonly way: readonly NodeFates[]
  readonly base: NodeFates
  readonly signal: AbortSignal
}

/** Returns queries that find it, best first. Each was run, and a hit is named in which the details stand. */
export async function recoveriesBySearch(asked: SearchContext): Promise<Recovery[]> {
  const { memory, node, way, base, signal } = asked
  const most = Math.max(1, keptOf(base))
  const good = new Set([node.id, ...way.filter((one) => keptOf(one) >= most).map(({ id }) => id)])
  const found: Extract<Recovery, { kind: 'search' }>[] = []
  for (const query of queriesFor(asked).slice(0, MOST_TRIED)) {
    signal.throwIfAborted()
    const input = GrepInputSchema.parse({
      query,
      sort: 'relevance',
      limit: PAGE,
      conversationIds: [node.conversationId],
    })
    const hits = await asked.searchIds(input, MOST_HITS, signal)
    if (hits === null) continue
    const { ids, total, totalIsExact } = hits
    const place = ids.findIndex((id) => good.has(id))
    const id = ids[place]
    if (id !== undefined)
      found.push({
        kind: 'search',
        query,
        hits: total,
        hitsAreExact: totalIsExact,
        place: place + 1,
        id,
        tokens: nodeFacts(memory, id).tokens,
      })
    if (found.some(({ place: at }) => at === 1) && found.length >= MOST_NAMED) break
  }
  return found.sort((a, b) => a.place - b.place || a.query.length - b.query.length).slice(0, MOST_NAMED)
}

/** Queries that somebody may try who knows a part of it: its specifics, and its longest words. */
function queriesFor({ details, base }: SearchContext): string[] {
  const { specifics } = details.vocabulary
  let at = -1
  const names: string[] = []
  const words: string[] = []
  for (const { claim, details: own } of details.sentences) {
    for (const { specific, text } of own) {
      at += 1
      if (specific === null || base.fates[at]?.fate !== 'kept' || specifics[specific]?.kind === 'quote') continue
      names.push(text)
    }
    const telling = claim.terms
      .filter(({ isSpecific }) => !isSpecific)
      .map(({ start, end }) => claim.text.slice(start - claim.start, end - claim.start))
      .filter((word) => word.length > 3)
    const longest = [...new Set(telling)].toSorted((a, b) => b.length - a.length).slice(0, 3)
    const inOrder = telling.filter((word, index) => longest.includes(word) && telling.indexOf(word) === index)
    if (inOrder.length > 0) words.push(inOrder.map(quoted).join(' '))
    if (names.length + words.length > 40) break
  }
  const rare = [...new Set(names)].toSorted((a, b) => b.length - a.length).map(quoted)
  return [...new Set([...rare.slice(0, 2), ...words.slice(0, 3), ...rare.slice(2), ...words.slice(3)])].filter(
    (query) => query !== '""',
  )
}

/** A word as it is, so that no sign in it is read as a part of the query language. */
function quoted(text: string): string {
  const plain = text.replaceAll('"', ' ').trim()
  return /^[\p{L}\p{N}]+$/u.test(plain) && !/^(?:AND|OR|NOT|NEAR)$/.test(plain) ? plain : `"${plain}"`
}
