import { type DetailFate, DetailKind, type LossReport } from '../contract/loss.ts'
import type { Detail } from './details.ts'
import type { NodeFates } from './node-fates.ts'

/** The order in which losses are listed. */
const KIND_ORDER = DetailKind.options

/** Where details were looked for: the nodes on a way, and what became of them at each. */
export type Compared = { readonly way: readonly number[]; readonly nodes: readonly NodeFates[] }

/** A detail that did not come through. Its entry in a report is made only when it is listed, because most are not. */
export type Lost = {
  readonly detail: Detail
  readonly sentence: string
  /** The id of the text that says it, and where in its conversation that stands. */
  readonly id: string
  readonly seq: number | null
  readonly isSaid: boolean
  readonly compared: Compared
  /** The index of the detail among those that were compared. */
  readonly index: number
  /** The index on the way at which it fell, −1 where no way leads to the window. */
  readonly fall: number
}

/** Whether something else stands in place of a detail. */
export const isChanged = ({ compared, fall, index }: Lost): boolean =>
  compared.nodes[fall]?.fates[index]?.fate === 'changed'

/** By which two details are the same, wherever they are said. A short number is the same only in the same sentence. */
export function keyOf(detail: Detail, sentence: string): string {
  const { kind, text } = detail
  return `${kind} ${text.toLowerCase()}${isShortNumber(detail) ? ` ${sentence.toLowerCase()}` : ''}`
}

/** At least this many sentences that differ only in their numbers count something, as "Step 17 went well" does. */
const LEAST_SERIES = 4

/**
 * Returns what says more than how far something was counted: without the numbers of sentences of which others differ in
 * nothing but these.
 */
export function withoutCounters(lost: readonly Lost[]): Lost[] {
  const frames = new Map<string, Set<string>>()
  let last = ''
  for (const { sentence } of lost) {
    // The details of a sentence follow each other.
    if (sentence === last) continue
    last = sentence
    const frame = frameOf(sentence)
    const alike = frames.get(frame) ?? new Set()
    if (alike.size < LEAST_SERIES) frames.set(frame, alike.add(sentence))
  }
  const isCounter = ({ detail, sentence }: Lost): boolean =>
    isShortNumber(detail) && (frames.get(frameOf(sentence))?.size ?? 0) >= LEAST_SERIES
  return lost.filter((one) => !isCounter(one))
}

const frameOf = (sentence: string): string => sentence.toLowerCase().replace(/\d+/g, '0')

/** A number that says nothing without its sentence: it has few digits and no unit. */
const isShortNumber = ({ kind, text }: Detail): boolean => kind === 'number' && /^\d{1,4}$/.test(text)

/** Each once, in the order of the kinds; what people and agents said before what tools gave, and older things first. */
export function listed(lost: readonly Lost[]): Lost[] {
  const once = new Map<string, Lost>()
  for (const one of lost) {
    const key = keyOf(one.detail, one.sentence)
    const known = once.get(key)
    if (!known || (one.isSaid && !known.isSaid)) once.set(key, one)
  }
  return [...once.values()].sort(
    (a, b) =>
      KIND_ORDER.indexOf(a.detail.kind) - KIND_ORDER.indexOf(b.detail.kind) ||
      Number(b.isSaid) - Number(a.isSaid) ||
      Number(isShortNumber(a.detail)) - Number(isShortNumber(b.detail)) ||
      (a.seq ?? 0) - (b.seq ?? 0),
  )
}

/** Counts details, each once however often it was said. */
export class Tally {
  readonly #seen = new Map<string, DetailFate>()

  see(detail: Detail, sentence: string, fate: DetailFate): void {
    const key = keyOf(detail, sentence)
    const known = this.#seen.get(key)
    if (known === undefined || RANK[fate] > RANK[known]) this.#seen.set(key, fate)
  }

  standsElsewhere({ detail, sentence }: Lost): void {
    this.#seen.set(keyOf(detail, sentence), 'kept')
  }

  /** Leaves a detail out of the counts. */
  leaveOut({ detail, sentence }: Lost): void {
    this.#seen.delete(keyOf(detail, sentence))
  }

  /**
   * A detail that was lost in one place counts as lost even if the same words are kept in another, so that the counts
   * add up.
   * @param dropped each detail once
   * @param changed each detail once
   */
  counts(items: number, dropped: readonly Lost[], changed: readonly Lost[]): LossReport['counts'] {
    const lost = new Set([...dropped, ...changed].map(({ detail, sentence }) => keyOf(detail, sentence)))
    let [rest, kept] = [0, 0]
    for (const [key, fate] of this.#seen) {
      if (lost.has(key)) continue
      rest += 1
      if (fate === 'kept') kept += 1
    }
    const of = (all: readonly Lost[], kind: DetailKind): number =>
      all.filter(({ detail }) => detail.kind === kind).length
    return {
      items,
      details: rest + changed.length + dropped.length,
      kept,
      changed: changed.length,
      unknown: rest - kept,
      dropped: dropped.length,
      byKind: KIND_ORDER.map((kind) => ({ kind, dropped: of(dropped, kind), changed: of(changed, kind) })).filter(
        (one) => one.dropped + one.changed > 0,
      ),
    }
  }
}

const RANK: Readonly<Record<DetailFate, number>> = { dropped: 0, unknown: 1, changed: 2, kept: 3 }
