import type { DetailFate } from '../contract/loss.ts'
import { keepRecent } from '../keeping.ts'
import type { Memory } from '../memory/memory.ts'
import type { SourceText } from '../provenance/passages.ts'
import type { TextIndex } from '../provenance/text-index.ts'
import type { Candidate } from '../provenance/window-comparison.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { TimeSlice } from '../yielding.ts'
import { type Details, LONGEST_TEXT } from './details.ts'
import { type Fate, FateFinder } from './fates.ts'
import { textsOf } from './node-texts.ts'
import type { TextIndexes } from './text-indexes.ts'

/** What became of all details, in their order, in the text of one node. */
export type NodeFates = {
  readonly id: string
  readonly fates: readonly Fate[]
  /** The text from which an excerpt is shown, and where in it the nearest passage begins. Empty when it has none. */
  readonly text: string
  readonly field: SourceText['field'] | null
  readonly nearest: number | null
  readonly title: string
}

const UNKNOWN: Fate = { fate: 'unknown', instead: null, at: null }
export const KEPT: Fate = { fate: 'kept', instead: null, at: null }
/** At most this many characters of the sources of a node are searched for a value that stands in place of another. */
const MOST_SOURCE_CHARS = 400_000

type NodeComparerOptions = {
  readonly sources: SourceValues
  readonly memory: Memory
  readonly details: Details
  readonly indexes: TextIndexes
  readonly slice: TimeSlice
}

/** Compares details with nodes of a memory, each once. */
export class NodeComparer {
  readonly #sources: SourceValues
  readonly #memory: Memory
  readonly #details: Details
  readonly #indexes: TextIndexes
  readonly #slice: TimeSlice
  readonly #known = new Map<string, NodeFates>()

  constructor({ sources, memory, details, indexes, slice }: NodeComparerOptions) {
    this.#sources = sources
    this.#memory = memory
    this.#details = details
    this.#indexes = indexes
    this.#slice = slice
  }

  /** Returns what became of the details in a message or summary. All are unknown where there is no text to look at. */
  async of(id: string): Promise<NodeFates> {
    const known = this.#known.get(id)
    if (known) return known
    return this.#compare(id, await this.#indexes.ofNode(id, this.#slice))
  }

  /**
   * Returns the same of the node whose details are followed. A text that is too long to be read as a whole is not
   * searched for what was found in it: that stands where it was found.
   */
  async ofOwn(id: string): Promise<NodeFates> {
    const { texts, sentences } = this.#details
    if (texts.every(({ text }) => text.length <= LONGEST_TEXT)) return this.of(id)
    const fates = sentences.flatMap(({ details }) =>
      details.map(({ told, start, end }): Fate => ({ ...KEPT, at: { text: told, start, end } })),
    )
    const shown = fates[0]?.at
    const { text, field } = texts[shown?.text ?? 0] ?? { text: '', field: null }
    return { id, fates, text, field, nearest: shown?.start ?? null, title: texts[0]?.text ?? '' }
  }

  async #compare(id: string, index: TextIndex): Promise<NodeFates> {
    const finder = new FateFinder(this.#details, index, this.#sources.of(id))
    const fates: Fate[] = []
    for (const sentence of this.#details.sentences) {
      fates.push(...(index.texts.length === 0 ? sentence.details.map(() => UNKNOWN) : finder.fatesOf(sentence)))
      await this.#slice.yieldIfOver()
    }
    const shown = fates.find(({ at }) => at !== null)?.at ?? (await this.#nearest(finder))
    const { text, field } = index.texts[shown?.text ?? 0] ?? { text: '', field: null }
    const node = { id, fates, text, field, nearest: shown?.start ?? null, title: index.texts[0]?.text ?? '' }
    this.#known.set(id, node)
    return node
  }

  /** Returns the passage that comes nearest to one of the sentences, where no detail stands. */
  async #nearest(finder: FateFinder): Promise<Candidate | null> {
    let best: Candidate | null = null
    for (const sentence of this.#details.sentences) {
      const found = finder.nearestTo(sentence)
      if (found && found.score > (best?.score ?? 0)) best = found
      await this.#slice.yieldIfOver()
    }
    return best
  }

  /** Returns what became of the details at each summary of a way, where a change goes on. */
  async along(way: readonly number[]): Promise<NodeFates[]> {
    const along: NodeFates[] = []
    for (const node of way) along.push(await this.of(this.#memory.summaries.at(node).id))
    return withChangesCarried(along)
  }
}

/** Whether a source of a summary has a value that stands in the summary in place of another. */
type IsSaid = (value: string, beside: readonly string[]) => boolean

/** The sources of at most this many summaries are kept. */
const MOST_KEPT = 4
/** At most this many answers are kept for one summary. */
const MOST_VALUES = 10_000

/** Tells for summaries whether a source of theirs has a value. The sources are read when that is first asked. */
export class SourceValues {
  readonly #db: ReadDb
  readonly #memory: Memory
  readonly #texts: ReadonlyMap<string, readonly SourceText[]> | undefined
  /** The tests of summaries by their ids, the least recently used first. */
  readonly #kept = new Map<string, IsSaid>()

  /** @param known texts that were read before, by the id of their message or summary */
  constructor(db: ReadDb, memory: Memory, known?: ReadonlyMap<string, readonly SourceText[]>) {
    this.#db = db
    this.#memory = memory
    this.#texts = known
  }

  of(id: string): IsSaid {
    const said = this.#kept.get(id) ?? saidBySourcesOf(() => sourceTexts(this.#db, this.#memory, id, this.#texts))
    return keepRecent(this.#kept, id, said, MOST_KEPT)
  }
}

/** A short number occurs in many texts by coincidence. A source says it only where the same word is next to it. */
function saidBySourcesOf(read: () => string[]): IsSaid {
  let texts: string[] | null = null
  const known = new Map<string, boolean>()
  return (value, beside) => {
    texts ??= read()
    const sought = value.toLowerCase()
    if (/^\d{1,3}$/.test(sought)) return texts.some((text) => hasBeside(text, sought, beside))
    const isSaid = known.get(sought) ?? texts.some((text) => text.includes(sought))
    if (known.size < MOST_VALUES) known.set(sought, isSaid)
    return isSaid
  }
}

/** How many characters around a number are looked at for a word that it belongs to. */
const AROUND = 16

function hasBeside(text: string, number: string, words: readonly string[]): boolean {
  for (let at = text.indexOf(number); at >= 0; at = text.indexOf(number, at + number.length)) {
    const [before, after] = [
      text.slice(Math.max(0, at - AROUND), at),
      text.slice(at + number.length, at + number.length + AROUND),
    ]
    if (/[\d.,]$/.test(before.trimStart()) || /^\d/.test(after)) continue
    if (words.some((word) => before.includes(word) || after.includes(word))) return true
  }
  return false
}

function sourceTexts(
  db: ReadDb,
  { summaries, links, messages }: Memory,
  id: string,
  known?: ReadonlyMap<string, readonly SourceText[]>,
): string[] {
  const node = summaries.nodeOf(id)
  if (node < 0) return []
  const ids = [
    ...(links.sources[node] ?? []).filter((source) => source !== node).map((source) => summaries.at(source).id),
    ...messages.idsIn(links.rangesOf(node)).map((number) => `msg_${number}`),
  ]
  const found: string[] = []
  let chars = 0
  for (const batch of textsOf(db, ids, known)) {
    for (const { text } of batch) {
      found.push(text.toLowerCase())
      chars += text.length
    }
    if (chars > MOST_SOURCE_CHARS) break
  }
  return found
}

/**
 * Returns the same fates, where a change goes on: a value that the node before already had in place of another is no
 * value of a source that was merely kept.
 */
function withChangesCarried(way: readonly NodeFates[]): NodeFates[] {
  const carried: NodeFates[] = []
  for (const node of way) {
    const before = carried.at(-1)
    if (before === undefined) {
      carried.push(node)
      continue
    }
    const fates = node.fates.map((fate, detail): Fate => {
      const earlier = before.fates[detail]
      const goesOn = fate.fate === 'dropped' && earlier?.fate === 'changed' && earlier.instead === fate.instead
      return goesOn && fate.instead !== null ? { ...fate, fate: 'changed' } : fate
    })
    carried.push({ ...node, fates })
  }
  return carried
}

/**
 * Returns for each detail the index of the node on a way at which it fell. It is −1 for a detail that stands at the end
 * of the way, that may stand there in other words, or that never stood anywhere.
 */
export function fallsOf(base: NodeFates, way: readonly NodeFates[]): number[] {
  return base.fates.map((own, detail) => {
    const fateAt = (index: number): DetailFate => way[index]?.fates[detail]?.fate ?? 'unknown'
    let last = way.length - 1
    while (last >= 0 && fateAt(last) !== 'kept') last -= 1
    if (last < 0 && own.fate !== 'kept') return -1
    for (let index = last + 1; index < way.length; index += 1) {
      const fate = fateAt(index)
      if (fate === 'dropped' || fate === 'changed') return index
    }
    return -1
  })
}
