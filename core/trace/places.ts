import { type GrepHit, GrepInput, type GrepResult } from '../contract/retrieval.ts'
import type { FactPlace, LostAt, TraceInput } from '../contract/trace.ts'
import type { Memory } from '../memory/memory.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { inSlices, type TimeSlice } from '../yielding.ts'
import { type Details, readingDetails } from './details.ts'
import { fateOnPath } from './fact-states.ts'
import { stateOf } from './fates.ts'
import type { GivenWindow } from './given-window.ts'
import { footOf, ladderOf } from './ladder.ts'
import { fallsOf, NodeComparer, SourceValues } from './node-fates.ts'
import { excerptAround } from './rungs.ts'
import { SummaryMakers } from './summary-makers.ts'
import type { TextIndexes } from './text-indexes.ts'

type SearchContext = {
  readonly db: ReadDb
  readonly reader: MemoryReader
  readonly indexes: TextIndexes
  search(input: GrepInput, signal?: AbortSignal): Promise<GrepResult>
}

/** `best` is the one from which a ladder is shown. `nearest` are hits that do not say it. */
export type Places = {
  readonly places: FactPlace[]
  readonly best: string | null
  readonly nearest: FactPlace[]
  readonly notes: readonly string[]
}

const MOST_NEAREST = 5
const NEVER = new AbortController().signal

/** Finds the messages and summaries that say some words, and tells for each what became of them in what the model is given. */
export async function placesOf(
  searching: SearchContext,
  { conversationId, fromMessage, toMessage, limit }: TraceInput,
  words: string,
  slice: TimeSlice,
  signal: AbortSignal = NEVER,
): Promise<Places> {
  const told = { id: '', kind: 'message', field: 'content', part: null, text: words, isSaid: true } as const
  const details = await inSlices(readingDetails([told], 'words'), signal)
  const where = { conversationId, fromMessage, toMessage }
  const hits = await found(searching.search, queryOf(details, words), { ...where, limit: 3 * limit }, signal)
  const memories = new Map<number, Comparing>()
  const places: (FactPlace & { readonly said: number })[] = []
  for (const hit of hits) {
    if (hit.kind === 'file') continue
    const known = memories.get(hit.conversationId) ?? (await comparing(searching, hit.conversationId, details, slice))
    memories.set(hit.conversationId, known)
    places.push(await placeOf(known, hit))
  }
  // A place that has only some of the words says it only where no place has more of them.
  const most = Math.max(0, ...places.map(({ said }) => said))
  const saying = places.filter(({ said }) => most > 0 && said * 2 >= most).slice(0, limit)
  const best = saying.toSorted(
    (a, b) =>
      b.said - a.said ||
      Number(a.kind !== 'message') - Number(b.kind !== 'message') ||
      (a.createdAtMs ?? 0) - (b.createdAtMs ?? 0),
  )[0]
  const newest = saying.toSorted((a, b) => (b.createdAtMs ?? 0) - (a.createdAtMs ?? 0))
  const plain = ({ said: _, ...place }: FactPlace & { readonly said: number }): FactPlace => place
  return {
    places: newest.map(plain),
    best: best?.id ?? null,
    nearest: best ? [] : places.slice(0, MOST_NEAREST).map(plain),
    notes:
      hits.length > saying.length && saying.length === limit
        ? [`More places may say it: the first ${limit} are shown.`]
        : [],
  }
}

type Comparing = {
  readonly memory: Memory
  readonly given: GivenWindow
  readonly comparer: NodeComparer
  readonly makers: SummaryMakers
}

async function comparing(
  { db, reader, indexes }: SearchContext,
  conversationId: number,
  details: Details,
  slice: TimeSlice,
): Promise<Comparing> {
  await reader.prepareMemory(conversationId)
  const memory = reader.memory(conversationId)
  const comparer = new NodeComparer({ sources: new SourceValues(db, memory), memory, details, indexes, slice })
  return { memory, given: indexes.given(memory), comparer, makers: SummaryMakers.of(db, memory) }
}

async function placeOf({ memory, given, comparer, makers }: Comparing, hit: GrepHit) {
  const base = await comparer.of(hit.id)
  const foot = footOf(memory, hit.id)
  const ladder = foot === null ? { way: [] } : ladderOf(memory, foot)
  const way = await comparer.along(ladder.way)
  const inWindow = foot !== null && given.has(foot)
  const held = base.fates.flatMap(({ fate }, detail) => (fate === 'kept' ? [detail] : []))
  const fates = held.map((detail) => fateOnPath({ given, foot, ladder, way }, detail))
  const falls = fallsOf(base, way)
  const firstFall = Math.min(...held.map((detail) => falls[detail] ?? -1).filter((fall) => fall >= 0))
  const at = ladder.way[firstFall]
  const lostAt: LostAt | null = inWindow || at === undefined ? null : makers.at(at)
  const { id, kind, conversationId, role, depth, seq, createdAtMs } = hit
  return {
    ...{ id, kind: kind === 'file' ? ('message' as const) : kind, conversationId, role, depth, seq, createdAtMs },
    ...excerptAround(base.text, base.nearest, base.fates),
    field: base.field,
    details: held.length,
    kept: fates.filter((fate) => fate === 'kept').length,
    state: stateOf(fates),
    inWindow,
    lostAt,
    said: held.length,
  }
}

/** Searches as for a question: what has all the words comes first, then what has some of them. */
async function found(
  search: SearchContext['search'],
  query: string | null,
  { conversationId, ...asked }: Pick<TraceInput, 'conversationId' | 'fromMessage' | 'toMessage' | 'limit'>,
  signal: AbortSignal,
): Promise<readonly GrepHit[]> {
  if (query === null) return []
  const conversationIds = conversationId === undefined ? {} : { conversationIds: [conversationId] }
  return (
    await search(GrepInput.parse({ query, match: 'question', scope: 'both', ...asked, ...conversationIds }), signal)
  ).hits
}

/** A long text is known by this many of its words. More than 100 would be searched for as one text. */
const MOST_TERMS = 80

function queryOf({ vocabulary }: Details, words: string): string | null {
  const terms = vocabulary.claims.flatMap((claim) =>
    claim.terms.map(({ start, end }) => claim.text.slice(start - claim.start, end - claim.start)),
  )
  const telling = [...new Set(terms.length > 0 ? terms : [words])].map((word) => word.replaceAll('"', ' ').trim())
  const phrases = telling.filter((word) => word !== '').map((word) => `"${word}"`)
  return phrases.length === 0 ? null : phrases.slice(0, MOST_TERMS).join(' ')
}
