import { titleOf } from '#core/browse/text-name.ts'
import type { ComparedEntry, Comparison, Difference } from '#core/contract/comparison.ts'
import { TextIndex } from '#core/provenance/text-index.ts'
import { messageOpenings } from '#core/systems/reading/message-openings.ts'
import { messageNodeId } from '#core/systems/reading/node-id.ts'
import { contentsOfSummaries } from '#core/systems/reading/texts.ts'
import { cutText } from '#core/text.ts'
import { addDetails } from '#core/trace/detail-counter.ts'
import { readingDetails, type Sentence } from '#core/trace/details.ts'
import { FateFinder } from '#core/trace/fates.ts'
import { SourceValues } from '#core/trace/node-fates.ts'
import { toldTextsOf } from '#core/trace/node-texts.ts'
import { indexOf } from '#core/trace/text-indexes.ts'
import { tokenCount } from '#core/window/window.ts'
import { goingOn, type TimeSlice } from '#core/yielding.ts'
import type { Axis } from './axis.ts'
import type { Compared } from './compared.ts'

import type { CountedPlaces } from './counted-places.ts'
import type { Bar, Paired } from './summary-pairs.ts'

type ListerOptions = {
  readonly a: Compared
  readonly b: Compared
  readonly axis: Axis
  readonly bars: readonly [readonly Bar[], readonly Bar[]]
  readonly paired: readonly [Paired, Paired]
  readonly counted: CountedPlaces
}

/** A difference before its texts are read. The numbers are indexes of bars; where both are null it is of messages. */
type UnreadDifference = Pick<Difference, 'kind' | 'what' | 'first' | 'last'> & {
  readonly a: number | null
  readonly b: number | null
}

const MOST_TEXT = 8000
const OPENING_BYTES = 400
/** At most this many characters of messages are compared with the summaries that differ. */
const MOST_COMPARED_CHARS = 20_000_000

/** Lists where two sides differ, by place. */
export class DifferenceLister {
  readonly #of: ListerOptions
  readonly #slice: TimeSlice
  #chars = 0

  constructor(of: ListerOptions, slice: TimeSlice) {
    this.#of = of
    this.#slice = slice
  }

  /** Yields the share that was read, from 0 to 1. */
  async *list(limit: number): AsyncGenerator<number, Pick<Comparison, 'differences' | 'counts'>> {
    const found = [...this.#summaries(), ...this.#windows(), ...this.#messages()].sort(
      (x, y) => x.first - y.first || y.last - x.last,
    )
    const count = (kind: Difference['kind']): number => found.filter((one) => one.kind === kind).length
    const differences: Difference[] = []
    for (const [index, one] of found.slice(0, limit).entries()) {
      differences.push(await this.#told(one))
      yield (index + 1) / Math.min(limit, found.length)
    }
    return {
      differences,
      counts: { onlyA: count('only_a'), onlyB: count('only_b'), differently: count('differently') },
    }
  }

  #summaries(): UnreadDifference[] {
    const [barsA, barsB] = this.#of.bars
    const [pairedA, pairedB] = this.#of.paired
    const left = barsA.flatMap((bar, a): UnreadDifference[] => {
      if (pairedA.state[a] === 'same') return []
      const b = pairedA.partner[a] as number
      const other = barsB[b]
      if (!other) return [{ kind: 'only_a', what: 'summary', first: bar.first, last: bar.last, a, b: null }]
      const [first, last] = [Math.min(bar.first, other.first), Math.max(bar.last, other.last)]
      return [{ kind: 'differently', what: 'summary', first, last, a, b }]
    })
    const right = barsB.flatMap(({ first, last }, b): UnreadDifference[] =>
      pairedB.state[b] === 'only' ? [{ kind: 'only_b', what: 'summary', first, last, a: null, b }] : [],
    )
    return [...left, ...right]
  }

  /** What both sides have, of which only one has it in its window: summaries, and runs of messages. */
  #windows(): UnreadDifference[] {
    const { a, b, axis, bars, paired } = this.#of
    const [inA, inB] = [inWindow(a), inWindow(b)]
    const found: { -readonly [Key in keyof UnreadDifference]: UnreadDifference[Key] }[] = bars[0].flatMap(
      (bar, left): UnreadDifference[] => {
        const right = paired[0].partner[left] as number
        const other = bars[1][right]
        if (paired[0].state[left] !== 'same' || !other) return []
        const isInA = isNodeInWindow(a, bar.node)
        if (isInA === isNodeInWindow(b, other.node)) return []
        const place = { what: 'window', first: bar.first, last: bar.last } as const
        return [
          isInA ? { kind: 'only_a', ...place, a: left, b: null } : { kind: 'only_b', ...place, a: null, b: right },
        ]
      },
    )
    for (let place = 0; place < axis.places; place += 1) {
      const [atA, atB] = [axis.atA[place] as number, axis.atB[place] as number]
      if (atA < 0 || atB < 0 || inA(atA) === inB(atB)) continue
      const kind = inA(atA) ? 'only_a' : 'only_b'
      const last = found.at(-1)
      if (last?.kind === kind && last.a === last.b && last.last + 1 === place) last.last = place
      else found.push({ kind, what: 'window', first: place, last: place, a: null, b: null })
    }
    return found
  }

  #messages(): UnreadDifference[] {
    return this.#of.axis.runs.flatMap(({ first, last, a, b }): UnreadDifference[] =>
      a !== null && b !== null
        ? []
        : [{ kind: b === null ? 'only_a' : 'only_b', what: 'messages', first, last, a: null, b: null }],
    )
  }

  async #told({ kind, what, first, last, a, b }: UnreadDifference): Promise<Difference> {
    const place = { kind, what, first, last }
    if (a === null && b === null) {
      const { axis } = this.#of
      return kind === 'only_a'
        ? { ...place, a: this.#run(this.#of.a, axis.atA, place), b: null }
        : { ...place, a: null, b: this.#run(this.#of.b, axis.atB, place) }
    }
    const left = a === null ? null : await this.#entry(this.#of.a, this.#of.bars[0][a] as Bar)
    const right = b === null ? null : await this.#entry(this.#of.b, this.#of.bars[1][b] as Bar)
    if (!left || !right) return { ...place, a: left, b: right }
    return {
      ...place,
      a: { ...left, marks: await unsaidRanges(left.text, right.text, this.#slice) },
      b: { ...right, marks: await unsaidRanges(right.text, left.text, this.#slice) },
    }
  }

  /** Messages that follow each other, on the side that has them. */
  #run(
    { db, memory }: Compared,
    positionAt: Int32Array,
    { what, first, last }: Pick<Difference, 'what' | 'first' | 'last'>,
  ): ComparedEntry {
    const position = positionAt[first] as number
    const number = memory.messages.ids[position] as number
    let tokens = 0
    for (let place = first; place <= last; place += 1) tokens += memory.messages.tokensAt(positionAt[place] as number)
    const details = this.#of.counted.details?.subarray(first, last + 1).reduce((sum, own) => sum + own, 0) ?? null
    const atMs = memory.messages.createdAtMs[position] ?? Number.NaN
    return {
      ...{ id: messageNodeId(number), depth: -1, messages: last - first + 1, tokens },
      createdAtMs: Number.isNaN(atMs) ? null : atMs,
      title: titleOf(messageOpenings(db, [number], OPENING_BYTES).get(number) ?? ''),
      details,
      kept: what === 'window' ? details : null,
      ...{ text: '', isCut: false, marks: [] },
    }
  }

  async #entry({ db, memory }: Compared, { node, id, depth, title }: Bar): Promise<ComparedEntry> {
    const { tokens, createdAtMs } = memory.summaries.at(node)
    const [[, text] = []] = [...contentsOfSummaries(db, [id])]
    const shown = cutText(text ?? '', MOST_TEXT).toWellFormed()
    const count = await this.#countOf({ db, memory }, node, id)
    return {
      ...{ id, depth, title, createdAtMs },
      messages: memory.coverage.messageCount(node),
      tokens: tokenCount(tokens),
      details: count?.details ?? null,
      kept: count?.kept ?? null,
      text: shown,
      isCut: shown.length < (text ?? '').length,
      marks: [],
    }
  }

  /** Counts how many details of the messages of a summary stand in it, while there is not too much to read. */
  async #countOf({ db, memory }: Pick<Compared, 'db' | 'memory'>, node: number, id: string) {
    if (this.#of.counted.details === null) return null
    const { index } = await indexOf([summaryText(db, id)], this.#slice)
    const holder = { index, isSaidBySources: new SourceValues(db, memory).of(id) }
    const count = { details: 0, kept: 0 }
    const ids = memory.messages.idsIn(memory.coverage.reach(node)).map(messageNodeId)
    for (const texts of toldTextsOf(db, memory, ids)) {
      for (const text of texts) {
        if (this.#chars > MOST_COMPARED_CHARS) return null
        this.#chars += text.text.length
      }
      await addDetails(texts, [holder], () => count, this.#slice)
      await this.#slice.yieldIfOver()
    }
    return count
  }
}

function inWindow({ memory: { window } }: Compared): (position: number) => boolean {
  return (position) => (window.messageCounts[position] ?? 0) > 0
}

const isNodeInWindow = ({ memory: { window } }: Compared, node: number): boolean =>
  (window.summaryCounts[node] ?? 0) > 0

const summaryText = (db: Compared['db'], id: string) =>
  Array.from(
    contentsOfSummaries(db, [id]),
    ([, text]) => ({ id, kind: 'summary', field: 'content', part: null, text: text ?? '' }) as const,
  )

/**
 * Returns the ranges of the sentences of a text that are missing in another text, as a whole or in at least one detail.
 */
async function unsaidRanges(text: string, other: string, slice: TimeSlice): Promise<[number, number][]> {
  const own = { id: '', kind: 'summary', field: 'content', part: null } as const
  const details = await goingOn(readingDetails([{ ...own, text, isSaid: true }], 'words'), slice)
  const index = new TextIndex()
  await index.add({ ...own, text: other }, slice)
  const finder = new FateFinder(details, index)
  const ranges: [number, number][] = []
  for (const sentence of details.sentences) {
    if (finder.keptOf(sentence).includes(false)) ranges.push(rangeOf(sentence))
    if (slice.isOver) await slice.yield()
  }
  return ranges

  function rangeOf({ claim, details: [detail] }: Sentence): [number, number] {
    if (!detail) return [0, 0]
    const { specifics } = details.vocabulary
    const place = detail.specific === null ? claim : (specifics[detail.specific] ?? claim)
    const offset = detail.start - place.start
    return [claim.start + offset, claim.end + offset]
  }
}
