import type { DetailFate } from '../contract/loss.ts'
import type { FactStates, FactStatesInput } from '../contract/trace.ts'
import type { Memory } from '../memory/memory.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/memory-reader.ts'
import { findNode } from '../systems/node-id.ts'
import { goingOn, TimeSlice } from '../yielding.ts'
import { type Details, readingDetails } from './details.ts'
import { FateFinder, stateOf } from './fates.ts'
import { followWordsOrSentences } from './followed-words.ts'
import { footOf, isFootInWindow, isSummaryInWindow, type Ladder, ladderOf } from './ladder.ts'
import { NodeComparer, type NodeFates, SourceValues } from './node-fates.ts'
import { toldTextsOf } from './node-texts.ts'
import type { TextIndexes } from './text-indexes.ts'

export type FactStatesOptions = { readonly db: ReadDb; readonly reader: MemoryReader; readonly indexes: TextIndexes }

type NodeState = FactStates['states'][number]

/** Tells of some messages and summaries what a trace of each says: what became of it in the window. */
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
    if (foot !== null && isFootInWindow(memory, foot)) return { id, state: 'kept', details: 0, kept: 0, inWindow: true }
    const texts = [...toldTextsOf(db, memory, [id])].flat()
    const read = (reading: Generator<void, Details>): Promise<Details> => goingOn(reading, slice)
    const details =
      words === null
        ? await read(readingDetails(texts))
        : (await followWordsOrSentences({ id, texts, words }, read)).details
    const ladder = foot === null ? { way: [], others: [] } : ladderOf(memory, foot)
    const comparer = new NodeComparer({ sources: new SourceValues(db, memory), memory, details, indexes, slice })
    const way = await comparer.along(ladder.way)
    if (words !== null) return stateOfWords(id, memory, ladder, way, await comparer.of(id))
    const { index } = await indexes.ofWindow(memory, slice)
    const finder = new FateFinder(details, index)
    const kept: boolean[] = []
    for (const sentence of details.sentences) {
      kept.push(...finder.keptOf(sentence))
      await slice.yieldIfOver()
    }
    const { anyWay } = fatesInWindow(memory, ladder, way, kept)
    return outsideOf(id, anyWay)
  }
}

/** The state of a message or summary that is not in the window itself. */
const outsideOf = (id: string, fates: readonly DetailFate[]): NodeState => ({
  id,
  state: stateOf(fates),
  details: fates.length,
  kept: fates.filter((fate) => fate === 'kept').length,
  inWindow: false,
})

/** What became of some words of a message or summary on its own way: another place may say them in the window. */
function stateOfWords(
  id: string,
  memory: Memory,
  ladder: Ladder,
  way: readonly NodeFates[],
  own: NodeFates,
): NodeState {
  const none = own.fates.map(() => false)
  const { thisWay } = fatesInWindow(memory, ladder, way, none)
  const said = thisWay.filter((_, detail) => own.fates[detail]?.fate === 'kept')
  return outsideOf(id, said.length > 0 ? said : thisWay)
}

/**
 * Returns what became of details in the window: on the way that is shown, and whichever way they got there.
 * @param way the nodes of the ladder
 * @param kept for each detail whether it stands anywhere in the window
 */
export function fatesInWindow(
  memory: Memory,
  ladder: Ladder,
  way: readonly NodeFates[],
  kept: readonly boolean[],
): { readonly thisWay: DetailFate[]; readonly anyWay: DetailFate[] } {
  const top = ladder.way.at(-1)
  const isTopInWindow = top !== undefined && isSummaryInWindow(memory, top)
  const thisWay = kept.map(
    (_, detail): DetailFate => (isTopInWindow ? (way.at(-1)?.fates[detail]?.fate ?? 'unknown') : 'dropped'),
  )
  return { thisWay, anyWay: thisWay.map((fate, detail): DetailFate => (kept[detail] ? 'kept' : fate)) }
}
