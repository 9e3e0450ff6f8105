import type { Memory } from '../memory/memory.ts'
import type { TextIndex } from '../provenance/text-index.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { messageNumber } from '../systems/node-id.ts'
import { goingOn, type TimeSlice } from '../yielding.ts'
import { detailsOfAbsent, readingDetails, type ToldText } from './details.ts'
import { FateFinder } from './fates.ts'
import { isSummaryInWindow, ladderOf } from './ladder.ts'
import { saidBySourcesOf } from './node-fates.ts'
import { toldTextsOf } from './node-texts.ts'
import type { TextIndexes, WindowIndex } from './text-indexes.ts'

export type StandingOptions = { readonly db: ReadDb; readonly indexes: TextIndexes }

/** How many details something has, and how many of them stand in the window. */
export type Count = { details: number; kept: number }

/** Texts in which details are looked for, and whether a value of theirs comes from another source of the same summary. */
export type Holder = {
  readonly index: TextIndex
  readonly isSaidBySources?: (value: string, beside: readonly string[]) => boolean
}

const MOST_TOPS = 4

/**
 * Counts how many details of messages stand in a window: in the summary to which the ladder of the message leads, or in
 * anything else. It says what a trace of the message says. Window and summaries are read once; a message then costs as
 * much as its own text.
 */
export class Standing {
  readonly #db: ReadDb
  readonly #indexes: TextIndexes
  readonly #memory: Memory
  readonly #window: WindowIndex
  /** By leaf: the node in the window, −1 for none. */
  readonly #topOf = new Map<number, number>()
  /** The least recently used first. */
  readonly #tops = new Map<number, Holder>()

  private constructor({ db, indexes }: StandingOptions, memory: Memory, window: WindowIndex) {
    this.#db = db
    this.#indexes = indexes
    this.#memory = memory
    this.#window = window
  }

  static async of(options: StandingOptions, memory: Memory, slice: TimeSlice): Promise<Standing> {
    return new Standing(options, memory, await options.indexes.ofWindow(memory, slice))
  }

  get notes(): readonly string[] {
    return this.#window.notes
  }

  /** Returns the counts of messages that are not in the window themselves, by their positions. */
  async count(positions: readonly number[], slice: TimeSlice): Promise<Map<number, Count>> {
    const counts = new Map(positions.map((position) => [position, { details: 0, kept: 0 }]))
    const ids = positions.map((position) => this.#memory.messageId(position))
    for (const texts of toldTextsOf(this.#db, this.#memory, ids)) {
      await slice.yieldIfOver()
      for (const text of texts) {
        const position = this.#memory.messages.positionOf(messageNumber(text.id) ?? Number.NaN)
        const count = counts.get(position)
        if (!count) continue
        const top = await this.#topAt(position, slice)
        await addDetails(text, top ? [this.#window, top] : [this.#window], count, slice)
      }
    }
    return counts
  }

  async #topAt(position: number, slice: TimeSlice): Promise<Holder | null> {
    const { coverage } = this.#memory
    const leaf = coverage.shared.has(position) ? -2 - position : (coverage.leaf[position] ?? -1)
    let node = this.#topOf.get(leaf)
    if (node === undefined) {
      const top = ladderOf(this.#memory, { position }).way.at(-1)
      node = top !== undefined && isSummaryInWindow(this.#memory, top) ? top : -1
      this.#topOf.set(leaf, node)
    }
    return node < 0 ? null : this.#top(node, slice)
  }

  async #top(node: number, slice: TimeSlice): Promise<Holder> {
    const { id } = this.#memory.summaries.at(node)
    const known = this.#tops.get(node)
    const top = known ?? {
      index: await this.#indexes.ofNode(id, slice),
      isSaidBySources: saidBySourcesOf(this.#db, this.#memory, id),
    }
    this.#tops.delete(node)
    this.#tops.set(node, top)
    for (const oldest of [...this.#tops.keys()].slice(0, -MOST_TOPS)) this.#tops.delete(oldest)
    return top
  }
}

/** Adds the details of a text to a count: how many there are, and how many of them stand in one of the holders. */
export async function addDetails(
  text: ToldText,
  holders: readonly Holder[],
  count: Count,
  slice: TimeSlice,
): Promise<void> {
  const hasAnchor = (anchor: string): boolean => holders.some(({ index }) => index.anchorOf(anchor) !== undefined)
  const isRead: Parameters<typeof readingDetails>[2] = (sentence, kind) => {
    const absent = detailsOfAbsent(sentence, kind, text, hasAnchor)
    count.details += absent ?? 0
    return absent === null
  }
  const details = await goingOn(readingDetails([text], null, isRead), slice)
  const { sentences } = details
  if (sentences.length === 0) return
  const finders = holders.map(({ index, isSaidBySources }) => new FateFinder(details, index, isSaidBySources))
  for (const sentence of sentences) {
    const kept = sentence.details.map(() => false)
    for (const finder of finders) {
      if (!kept.includes(false)) break
      for (const [detail, isKept] of finder.keptOf(sentence).entries()) kept[detail] ||= isKept
    }
    count.details += kept.length
    count.kept += kept.filter(Boolean).length
    if (slice.isOver) await slice.yield()
  }
}
