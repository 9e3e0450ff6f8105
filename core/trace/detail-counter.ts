import type { Memory } from '../memory/memory.ts'
import type { TextIndex } from '../provenance/text-index.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { messageNumber } from '../systems/reading/node-id.ts'
import { goingOn, type TimeSlice } from '../yielding.ts'
import { type FoundSentence, mayStandIn, readingDetails, type ToldText } from './details.ts'
import { FateFinder } from './fates.ts'
import type { GivenWindow } from './given-window.ts'
import { ladderOf } from './ladder.ts'
import { SourceValues } from './node-fates.ts'
import { toldTextsOf } from './node-texts.ts'
import type { TextIndexes, WindowIndex } from './text-indexes.ts'

export type DetailCounterOptions = { readonly db: ReadDb; readonly indexes: TextIndexes }

/** How many details something has, and how many of them the model is given. */
export type Count = { details: number; kept: number }

/** Texts in which details are looked for, and whether a value of theirs comes from another source of the same summary. */
export type Holder = {
  /** Whether the texts are among those of the holder before it, so that they say nothing that those do not. */
  readonly isPart?: boolean
  readonly index: TextIndex
  readonly isSaidBySources?: (value: string, beside: readonly string[]) => boolean
}

/**
 * Counts how many details of messages the model is given: in the summary to which the ladder of the message leads, or in
 * anything else of the window. It says what a trace of the message says. Window and summaries are read once; a message then costs as
 * much as its own text.
 */
export class DetailCounter {
  readonly #db: ReadDb
  readonly #indexes: TextIndexes
  readonly #memory: Memory
  readonly #window: WindowIndex
  readonly #given: GivenWindow
  readonly #sources: SourceValues
  /** The node in the window to which each leaf leads, −1 for none. */
  readonly #topOf = new Map<number, number>()

  private constructor({ db, indexes }: DetailCounterOptions, memory: Memory, window: WindowIndex) {
    this.#db = db
    this.#indexes = indexes
    this.#memory = memory
    this.#window = window
    this.#given = indexes.given(memory)
    this.#sources = new SourceValues(db, memory)
  }

  static async of(options: DetailCounterOptions, memory: Memory, slice: TimeSlice): Promise<DetailCounter> {
    return new DetailCounter(options, memory, await options.indexes.ofWindow(memory, slice))
  }

  get notes(): readonly string[] {
    return this.#window.notes
  }

  /** Returns the counts of messages that the model is not given themselves, by their positions. */
  async count(positions: readonly number[], slice: TimeSlice): Promise<Map<number, Count>> {
    const counts = new Map(positions.map((position) => [position, { details: 0, kept: 0 }]))
    const ids = positions.map((position) => this.#memory.messageId(position))
    const positionOf = ({ id }: ToldText): number => this.#memory.messages.positionOf(messageNumber(id) ?? Number.NaN)
    for (const texts of toldTextsOf(this.#db, this.#memory, ids)) {
      await slice.yieldIfOver()
      for (const [node, some] of Map.groupBy(texts, (text) => this.#topAt(positionOf(text)))) {
        const holders = node < 0 ? [this.#window] : [this.#window, await this.#top(node, slice)]
        await addDetails(some, holders, (text) => counts.get(positionOf(text)), slice)
      }
    }
    return counts
  }

  /** The summary that the model is given and to which the ladder of a message leads, −1 for none. */
  #topAt(position: number): number {
    const { coverage } = this.#memory
    const leaf = coverage.shared.has(position) ? -2 - position : (coverage.leaf[position] ?? -1)
    let node = this.#topOf.get(leaf)
    if (node === undefined) {
      const top = ladderOf(this.#memory, { position }).way.at(-1)
      node = top !== undefined && this.#given.has({ node: top }) ? top : -1
      this.#topOf.set(leaf, node)
    }
    return node
  }

  async #top(node: number, slice: TimeSlice): Promise<Holder> {
    const { id } = this.#memory.summaries.at(node)
    // A note says that the index of the window does not have all of it.
    const isPart = this.#window.notes.length === 0
    return { index: await this.#indexes.ofNode(id, slice), isSaidBySources: this.#sources.of(id), isPart }
  }
}

/** The texts that are compared together have about this many characters. */
const BATCH_CHARS = 300_000

/**
 * Adds the details of texts to counts: how many there are, and how many of them stand in one of the holders. Texts that
 * are compared together share what is read of the holders.
 * @param countOf the count of a text, or undefined when it is left out
 */
export async function addDetails(
  texts: readonly ToldText[],
  holders: readonly Holder[],
  countOf: (text: ToldText) => Count | undefined,
  slice: TimeSlice,
): Promise<void> {
  let batch: ToldText[] = []
  let chars = 0
  for (const text of texts) {
    if (countOf(text) === undefined) continue
    batch.push(text)
    chars += text.text.length
    if (chars < BATCH_CHARS) continue
    await addTogether(batch, holders, countOf, slice)
    batch = []
    chars = 0
  }
  if (batch.length > 0) await addTogether(batch, holders, countOf, slice)
}

async function addTogether(
  texts: readonly ToldText[],
  holders: readonly Holder[],
  countOf: (text: ToldText) => Count | undefined,
  slice: TimeSlice,
): Promise<void> {
  const add = (text: ToldText | undefined, details: number, kept: number): void => {
    const count = text && countOf(text)
    if (count === undefined) return
    count.details += details
    count.kept += kept
  }
  const mayStand = mayStandIn(holders.filter(({ isPart = false }) => !isPart).map(({ index }) => index))
  const isRead = (sentence: FoundSentence): boolean => {
    if (mayStand(sentence)) return true
    add(sentence.source, sentence.specifics().length, 0)
    return false
  }
  const details = await goingOn(readingDetails(texts, null, isRead), slice)
  if (details.sentences.length === 0) return
  const finders = holders.map(({ index, isSaidBySources }) => new FateFinder(details, index, isSaidBySources))
  for (const sentence of details.sentences) {
    let kept = sentence.details.map(() => false)
    for (const finder of finders) if (kept.includes(false)) kept = finder.keptOf(sentence, kept)
    add(texts[sentence.told], kept.length, kept.filter(Boolean).length)
    if (slice.isOver) await slice.yield()
  }
}
