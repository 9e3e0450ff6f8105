import type { GrepInput, GrepResult } from '../contract/retrieval.ts'
import type { FactPlace, FactTrace, LostAt, Rung, TracedDetail, TraceInput } from '../contract/trace.ts'
import { LcmError } from '../errors.ts'
import type { Memory } from '../memory/memory.ts'
import type { FoundIds } from '../search/grep.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { messageRange } from '../systems/reading/message-range.ts'
import { type FoundNode, findNode } from '../systems/reading/node-id.ts'
import { inSlices, TimeSlice } from '../yielding.ts'
import { type Detail, type Details, readingDetails, type ToldText } from './details.ts'
import { fatesInWindow } from './fact-states.ts'
import { type Fate, FateFinder, stateOf } from './fates.ts'
import { followWords, followWordsOrSentences } from './followed-words.ts'
import { footOf, type Ladder, ladderOf, nodeFacts } from './ladder.ts'
import { fallsOf, NodeComparer, type NodeFates, SourceValues } from './node-fates.ts'
import { toldTextsOf } from './node-texts.ts'
import { placesOf } from './places.ts'
import { recoveriesBySearch, recoveryByExpanding } from './recovery.ts'
import { Rungs } from './rungs.ts'
import { SummaryMakers } from './summary-makers.ts'
import type { TextIndexes } from './text-indexes.ts'

export type TracerOptions = {
  readonly db: ReadDb
  readonly reader: MemoryReader
  readonly indexes: TextIndexes
  /** A search that is made in order to answer something else. */
  search(input: GrepInput, signal?: AbortSignal): Promise<GrepResult>
  /** The same, when only the ids of the hits are needed. */
  searchIds(input: GrepInput, most: number, signal?: AbortSignal): Promise<FoundIds | null>
}

/** At most this many details are followed. */
const MOST_DETAILS = 1000
/** At most this many details are listed. */
const MOST_LISTED = 300
/** At most this many items of the window are named that say it and that the model is not given. */
const MOST_UNSENT = 3
const NEVER = new AbortController().signal

/** What is followed, from where. */
type TraceSubject = {
  readonly memory: Memory
  readonly node: FoundNode
  /** All texts of the node. */
  readonly texts: readonly ToldText[]
  readonly details: Details
  /** Where the words stand in their text when only a part of it is followed. */
  readonly offset: number
  readonly isFound: boolean
}

/**
 * Follows what was said from its message through the summaries that stand for it to the window, and tells where it was
 * lost. It compares texts, uses no model, and equal memories give equal answers. A text is never evidence for itself.
 */
export class FactTracer {
  readonly #options: TracerOptions

  constructor(options: TracerOptions) {
    this.#options = options
  }

  /** @throws LcmError not_found; invalid_argument for a file, and when nothing is asked about; cancelled */
  async trace(input: TraceInput, signal: AbortSignal = NEVER): Promise<FactTrace> {
    const began = performance.now()
    const slice = new TimeSlice(signal, 'The trace was cancelled.')
    const { id, text } = input
    const words = text?.trim() ?? ''
    if (id === undefined && words === '')
      throw new LcmError('invalid_argument', 'Say what to trace: the id of a message or summary, or some words.')
    const places = id === undefined ? await placesOf(this.#options, input, words, slice, signal) : null
    const start = id ?? places?.best ?? null
    const notes = [...(places?.notes ?? [])]
    if (start === null) return nothing(words, places?.nearest ?? [], notes, began)
    const asked = await this.#asked(start, words === '' ? null : words, places === null, signal)
    // An id needs no search, which would refuse messages in the wrong order. They are refused with an id, too.
    if (places === null) messageRange(this.#options.db, this.#options.reader, input)
    const found = await this.#follow(asked, input.ladderOnly ?? false, notes, slice, signal)
    if (!asked.isFound && found.trace.ladder[0]?.kept === 0) notes.push(`These words do not stand in ${start}.`)
    const detail = words === '' ? found.title : words
    return { ...found.trace, detail, places: places?.places ?? [], notes, tookMs: performance.now() - began }
  }

  /** @param isChosen true when a person chose this text, which may not have the words as they are */
  async #asked(id: string, words: string | null, isChosen: boolean, signal: AbortSignal): Promise<TraceSubject> {
    const { db, reader } = this.#options
    const node = findNode(db, id)
    if (node.kind === 'file')
      throw new LcmError('invalid_argument', `${id} is a file: trace a message or a summary.`, { id })
    await reader.prepareMemory(node.conversationId)
    const memory = reader.memory(node.conversationId)
    const all = [...toldTextsOf(db, memory, [node.id])].flat()
    const subject = { memory, node, texts: all }
    if (words === null)
      return { ...subject, details: await inSlices(readingDetails(all), signal), offset: 0, isFound: true }
    const follow = isChosen ? followWordsOrSentences : followWords
    const followed = await follow({ id: node.id, texts: all, words }, (reading) => inSlices(reading, signal))
    return { ...subject, ...followed }
  }

  async #follow(asked: TraceSubject, isLadderOnly: boolean, notes: string[], slice: TimeSlice, signal: AbortSignal) {
    const { db } = this.#options
    const { memory, node, details } = asked
    const listed = details.sentences.flatMap((sentence) => sentence.details)
    if (listed.length === 0)
      notes.push('It has no detail that could be followed: no number, path, name, decision or the like.')
    if (listed.length > MOST_DETAILS)
      notes.push(`It has ${listed.length.toLocaleString('en-US')} details: select words to follow only some.`)
    const foot = footOf(memory, node.id)
    const ladder: Ladder = foot === null ? { way: [], others: [] } : ladderOf(memory, foot)
    const sources = new SourceValues(db, memory, new Map([[node.id, asked.texts]]))
    const comparer = new NodeComparer({ ...this.#options, sources, memory, details, slice })
    const base = await comparer.ofOwn(node.id)
    const way = await comparer.along(ladder.way)
    const others: NodeFates[] = []
    for (const one of ladder.others) others.push(await comparer.of(memory.summaries.at(one).id))

    const given = this.#options.indexes.given(memory)
    const isGiven = foot !== null && given.has(foot)
    const window = await this.#inWindow(asked, new Set([node.id, ...way.map(({ id }) => id)]), notes, slice)
    const makers = SummaryMakers.of(db, memory)
    const falls = fallsOf(base, way)
    const isKept = window.fates.map(({ fate }) => fate === 'kept')
    const { thisWay, anyWay } = fatesInWindow({ given, foot, ladder, way }, isKept)
    const lostAtOf = (detail: number): LostAt | null => {
      const at = ladder.way[falls[detail] ?? -1]
      return at === undefined ? null : makers.at(at)
    }
    const lostAt = mostLost(falls, ladder.way, makers)
    const saying = [node, ...way.filter(({ fates }) => fates.some(({ fate }) => fate === 'kept'))]
    const unsent = saying.filter(({ id }) => given.leftOut.has(id)).slice(0, MOST_UNSENT)
    notes.push(...unsent.map(({ id }) => `${id} is in the window, but the model is not given it: the window says why.`))
    const rungs = new Rungs({ db, memory, makers, listed, given })
    const rungLadder: Rung[] = [
      rungs.foot(node, base, isGiven),
      ...way.map((fates, index) => rungs.summary(ladder.way[index] as number, fates, way[index - 1] ?? null)),
      rungs.window(thisWay, way.at(-1) ?? null),
    ]
    const traced = listed.map(
      (one, detail): TracedDetail => ({
        kind: one.kind,
        text: one.text,
        at: placeOf(one, asked),
        fate: anyWay[detail] ?? 'unknown',
        instead: anyWay[detail] === 'kept' ? null : insteadOf(way, falls[detail] ?? -1, detail),
        lostAt: lostAtOf(detail),
      }),
    )
    const trace: Omit<FactTrace, 'detail' | 'places' | 'notes' | 'tookMs'> = {
      id: node.id,
      conversationId: node.conversationId,
      details: traced.slice(0, MOST_LISTED),
      ladder: rungLadder,
      others: others.map((fates, index) => rungs.summary(ladder.others[index] as number, fates, null)),
      state: stateOf(anyWay),
      inWindow: anyWay.length > 0 ? anyWay.every((fate) => fate === 'kept') : isGiven,
      lostAt: isGiven ? null : lostAt,
      toldAgain: window.toldAgain,
      stood: stoodOf(
        rungLadder[0],
        endOf(falls, base, ladder.way, makers),
        { toldAgain: window.toldAgain, details: traced },
        node.id,
      ),
      wayBack: isLadderOnly
        ? []
        : [
            ...recoveryByExpanding(memory, node, ladder, way, { given, isGiven }),
            ...(await recoveriesBySearch({ ...this.#options, memory, node, details, way, base, signal })),
          ],
    }
    return { trace, title: base.title === '' ? node.id : (rungLadder[0]?.title ?? node.id) }
  }

  /** Compares the details with everything that the model is given. `own` are the items of the ladder itself. */
  async #inWindow({ memory, details }: TraceSubject, own: ReadonlySet<string>, notes: string[], slice: TimeSlice) {
    const { index, notes: limits } = await this.#options.indexes.ofWindow(memory, slice)
    notes.push(...limits)
    const finder = new FateFinder(details, index)
    const fates: Fate[] = []
    const held = new Map<string, number>()
    for (const sentence of details.sentences) {
      fates.push(...finder.fatesOf(sentence))
      for (const [text, count] of finder.holders(sentence)) {
        const id = index.texts[text]?.id ?? ''
        // The nodes of the ladder are not listed again as places that say it, too.
        if (!own.has(id)) held.set(id, (held.get(id) ?? 0) + count)
      }
      await slice.yieldIfOver()
    }
    const toldAgain = [...held]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 20)
      .map(([id, kept]) => {
        const { kind, atMs } = nodeFacts(memory, id)
        return { id, kept: Math.min(kept, details.count), kind, atMs }
      })
    return { fates, toldAgain }
  }
}

/** The node at which most details fell; of two, the one that is nearer to the message. */
function mostLost(falls: readonly number[], way: readonly number[], makers: SummaryMakers): LostAt | null {
  const counts = way.map((_, index) => falls.filter((fall) => fall === index).length)
  const most = Math.max(0, ...counts)
  const at = most === 0 ? undefined : way[counts.indexOf(most)]
  return at === undefined ? null : makers.at(at)
}

/** The time at which the last detail fell, or null when some of them stand or the time is not known. */
function endOf(
  falls: readonly number[],
  base: NodeFates,
  way: readonly number[],
  makers: SummaryMakers,
): number | null {
  const held = falls.filter((_, detail) => base.fates[detail]?.fate === 'kept')
  if (held.length === 0 || held.includes(-1)) return null
  const times = held.map((fall) => makers.at(way[fall] as number).atMs)
  return times.includes(null) ? null : Math.max(...times.map((atMs) => atMs ?? 0))
}

const insteadOf = (way: readonly NodeFates[], fall: number, detail: number): string | null =>
  way.slice(Math.max(0, fall)).find(({ fates }) => fates[detail]?.fate === 'changed')?.fates[detail]?.instead ?? null

function placeOf({ told, start, end }: Detail, { details, offset, isFound, node }: TraceSubject): TracedDetail['at'] {
  const text = details.texts[told]
  if (!text || !isFound) return null
  return { id: node.id, field: text.field, part: text.part, start: start + offset, end: end + offset }
}

/**
 * Returns when all of the details stood in the window: from their message to the run that dropped the last of them, and
 * again from a message that said all of them anew. When that message came before the run, they never left the window.
 * While some of them still stand there, no end is known.
 */
function stoodOf(
  foot: Rung | undefined,
  endMs: number | null,
  trace: Pick<FactTrace, 'toldAgain' | 'details'>,
  id: string,
): FactTrace['stood'] {
  if (foot === undefined || foot.atMs === null) return []
  const [again] = trace.toldAgain
    .filter(({ kind, kept }) => kind === 'message' && kept >= trace.details.length)
    .flatMap(({ id: from, atMs }) => (atMs === null ? [] : [{ id: from, fromAtMs: atMs }]))
    .toSorted((a, b) => a.fromAtMs - b.fromAtMs)
  if (endMs === null || (again && again.fromAtMs <= endMs)) return [{ fromAtMs: foot.atMs, toAtMs: null, id }]
  const before = { fromAtMs: foot.atMs, toAtMs: Math.max(foot.atMs, endMs), id }
  return again ? [before, { ...again, toAtMs: null }] : [before]
}

const nothing = (detail: string, places: FactPlace[], notes: string[], began: number): FactTrace => ({
  detail,
  id: null,
  conversationId: null,
  details: [],
  ladder: [],
  others: [],
  state: 'unknown',
  inWindow: false,
  lostAt: null,
  toldAgain: [],
  stood: [],
  places,
  wayBack: [],
  notes: [...notes, 'Nothing says this.'],
  tookMs: performance.now() - began,
})
