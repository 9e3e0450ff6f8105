import type { FactStates, FactStatesInput, TracedFate } from '../contract/trace.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { findNode } from '../systems/reading/node-id.ts'
import { goingOn, TimeSlice } from '../yielding.ts'
import { type Details, readingDetails } from './details.ts'
import { FateFinder, stateOf } from './fates.ts'
import { followWordsOrSentences } from './followed-words.ts'
import type { GivenWindow } from './given-window.ts'
import { type Foot, footOf, type Ladder, ladderOf } from './ladder.ts'
import { NodeComparer, type NodeFates, SourceValues } from './node-fates.ts'
import { toldTextsOf } from './node-texts.ts'
import type { TextIndexes } from './text-indexes.ts'

export type FactStatesOptions = { readonly db: ReadDb; readonly reader: MemoryReader; readonly indexes: TextIndexes }

type NodeState = FactStates['states'][number]

/** Tells of some messages and summaries what a trace of each says: what became of it in what the model is given. */
export class FactStateFinder {
  readonly #options: FactStatesOptions

  constructor(options: FactStatesOptions) {
    this.#options = options
  }

  /**
   * Returns the states of as many as can be told in the budget, in their order, at least of one.
   * @throws LcmError not_found, cancelled
   */
  async of({ ids, text, budgetMs }: FactStatesInput, signal?: AbortSignal): Promise<FactStates> {
    const began = performance.now()
    const slice = new TimeSlice(signal, 'Tracing was cancelled.')
    const states: NodeState[] = []
    for (const id of ids) {
      states.push(await this.#stateOf(id, text?.trim() || null, slice))
      if (performance.now() - began >= budgetMs) break
    }
    return { states, tookMs: performance.now() - began }
  }

  async #stateOf(id: string, words: string | null, slice: TimeSlice): Promise<NodeState> {
    const { db, reader, indexes } = this.#options
    const { kind, conversationId } = findNode(db, id)
    if (kind === 'file') return { id, state: 'unknown', details: 0, kept: 0, inWindow: false }
    await reader.prepareMemory(conversationId)
    const memory = reader.memory(conversationId)
    const foot = footOf(memory, id)
    const given = indexes.given(memory)
    if (foot !== null && given.has(foot)) return { id, state: 'kept', details: 0, kept: 0, inWindow: true }
    const texts = [...toldTextsOf(db, memory, [id])].flat()
    const read = (reading: Generator<void, Details>): Promise<Details> => goingOn(reading, slice)
    const details =
      words === null
        ? await read(readingDetails(texts))
        : (await followWordsOrSentences({ id, texts, words }, read)).details
    const ladder = foot === null ? { way: [], others: [] } : ladderOf(memory, foot)
    const comparer = new NodeComparer({ sources: new SourceValues(db, memory), memory, details, indexes, slice })
    const way = await comparer.along(ladder.way)
    if (words !== null) return stateOfWords(id, { given, foot, ladder, way }, await comparer.of(id))
    const { index } = await indexes.ofWindow(memory, slice)
    const finder = new FateFinder(details, index)
    const kept: boolean[] = []
    for (const sentence of details.sentences) {
      kept.push(...finder.keptOf(sentence))
      await slice.yieldIfOver()
    }
    const { anyWay } = fatesInWindow({ given, foot, ladder, way }, kept)
    return outsideOf(id, anyWay)
  }
}

/** The state of a message or summary that the model is not given itself. */
const outsideOf = (id: string, fates: readonly TracedFate[]): NodeState => ({
  id,
  state: stateOf(fates),
  details: fates.length,
  kept: fates.filter((fate) => fate === 'kept').length,
  inWindow: false,
})

/** A message or summary, and the way from it to the window. */
export type PathToWindow = {
  readonly given: GivenWindow
  readonly foot: Foot | null
  readonly ladder: Pick<Ladder, 'way'>
  /** What became of the details at each summary of the ladder. */
  readonly way: readonly NodeFates[]
}

/** What became of some words of a message or summary on its own way: the model may be given them from another place. */
function stateOfWords(id: string, to: PathToWindow, own: NodeFates): NodeState {
  const none = own.fates.map(() => false)
  const { thisWay } = fatesInWindow(to, none)
  const said = thisWay.filter((_, detail) => own.fates[detail]?.fate === 'kept')
  return outsideOf(id, said.length > 0 ? said : thisWay)
}

/**
 * Returns what became of details in what the model is given: on the way that is shown, and whichever way they got there.
 * @param kept for each detail whether it stands anywhere in what the model is given
 */
export function fatesInWindow(
  to: PathToWindow,
  kept: readonly boolean[],
): { readonly thisWay: TracedFate[]; readonly anyWay: TracedFate[] } {
  const thisWay = kept.map((_, detail) => fateOnPath(to, detail))
  return { thisWay, anyWay: thisWay.map((fate, detail) => (kept[detail] ? 'kept' : fate)) }
}

/** Returns what became of a detail on the way to the window. */
export function fateOnPath({ given, foot, ladder, way }: PathToWindow, detail: number): TracedFate {
  if (foot !== null && given.has(foot)) return 'kept'
  const top = ladder.way.at(-1)
  const fate = top === undefined ? 'dropped' : (way.at(-1)?.fates[detail]?.fate ?? 'unknown')
  if (top !== undefined && given.has({ node: top })) return fate
  const isLeftOut = top !== undefined && fate === 'kept' && given.leavesOut({ node: top })
  return isLeftOut || (foot !== null && given.leavesOut(foot)) ? 'left_out' : 'dropped'
}
