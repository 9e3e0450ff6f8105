import { type DetailFate, DetailKind, type LossReport } from '../contract/loss.ts'
import type { Detail } from './details.ts'
import type { NodeFates } from './node-fates.ts'

/** The order in which losses are listed. */
const KIND_ORDER = DetailKind.options

/** Where details were looked for: the nodes on a way, and what became of them at each. */
export type PathComparison = { readonly way: readonly number[]; readonly nodes: readonly NodeFates[] }

/** A detail that did not come through. Its entry in a report is made only when it is listed, because most are not. */
export type DetailLoss = {
  readonly detail: Detail
  /** Equal for the same detail in several places: see `keyOf`. */
  readonly key: string
  readonly sentence: string
  /** The id of the text that says it, and where in its conversation that stands. */
  readonly id: string
  readonly seq: number | null
  readonly isSaid: boolean
  readonly compared: PathComparison
  /** The index of the detail among those that were compared. */
  readonly index: number
  /** The index on the way at which it fell, −1 where no way leads to the window. */
  readonly fall: number
}

/** Whether something else stands in place of a detail. */
export const isChanged = ({ compared, fall, index }: DetailLoss): boolean =>
  compared.nodes[fall]?.fates[index]?.fate === 'changed'

/** Returns a key that is equal for the same detail in several places. A short number is the same only in the same sentence. */
export function keyOf(detail: Detail, sentence: string): string {
  const { kind, text } = detail
  return `${kind} ${text.toLowerCase()}${isShortNumber(detail) ? ` ${sentence.toLowerCase()}` : ''}`
}

/** At least this many sentences that differ only in their numbers count something, as "Step 17 went well" does. */
const LEAST_SERIES = 4

/**
 * Separates counters from all else that was lost. A counter is a number in one of several sentences that differ in nothing
 * but their numbers: it only says how far something was counted.
 */
export function separateCounters(lost: readonly DetailLoss[]): {
  readonly gone: DetailLoss[]
  readonly counters: DetailLoss[]
} {
  const frames = new Map<string, Set<string>>()
  // The details of a sentence follow each other.
  let [last, frame] = ['', '']
  const frameAt = ({ sentence }: DetailLoss): string => {
    if (sentence !== last) [last, frame] = [sentence, frameOf(sentence)]
    return frame
  }
  for (const one of lost) {
    if (one.sentence === last) continue
    const alike = frames.get(frameAt(one)) ?? new Set()
    if (alike.size < LEAST_SERIES) frames.set(frame, alike.add(one.sentence))
  }
  const [gone, counters]: [DetailLoss[], DetailLoss[]] = [[], []]
  for (const one of lost) {
    const isCounter = isShortNumber(one.detail) && (frames.get(frameAt(one))?.size ?? 0) >= LEAST_SERIES
    const list = isCounter ? counters : gone
    list.push(one)
  }
  return { gone, counters }
}

const frameOf = (sentence: string): string => sentence.toLowerCase().replace(/\d+/g, '0')

/** A number that says nothing without its sentence: it has few digits and no unit. */
const isShortNumber = ({ kind, text }: Detail): boolean => kind === 'number' && /^\d{1,4}$/.test(text)

/** Each once, in the order of the kinds; what people and agents said before what tools gave, and older things first. */
export function listed(lost: readonly DetailLoss[]): DetailLoss[] {
  const once = new Map<string, DetailLoss>()
  for (const one of lost) {
    const known = once.get(one.key)
    if (!known || (one.isSaid && !known.isSaid)) once.set(one.key, one)
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

  see(key: string, fate: DetailFate): void {
    const known = this.#seen.get(key)
    if (known === undefined || RANK[fate] > RANK[known]) this.#seen.set(key, fate)
  }

  standsElsewhere({ key }: DetailLoss): void {
    this.#seen.set(key, 'kept')
  }

  /** Leaves a detail out of the counts. */
  leaveOut({ key }: DetailLoss): void {
    this.#seen.delete(key)
  }

  /**
   * A detail that was lost in one place counts as lost even if the same words are kept in another, so that the counts
   * add up.
   * @param dropped each detail once
   * @param changed each detail once
   */
  counts(items: number, dropped: readonly DetailLoss[], changed: readonly DetailLoss[]): LossReport['counts'] {
    const lost = new Set([...dropped, ...changed].map(({ key }) => key))
    let [rest, kept] = [0, 0]
    for (const [key, fate] of this.#seen) {
      if (lost.has(key)) continue
      rest += 1
      if (fate === 'kept') kept += 1
    }
    const [droppedOf, changedOf] = [countsByKind(dropped), countsByKind(changed)]
    return {
      items,
      details: rest + changed.length + dropped.length,
      kept,
      changed: changed.length,
      unknown: rest - kept,
      dropped: dropped.length,
      byKind: KIND_ORDER.map((kind) => ({
        kind,
        dropped: droppedOf.get(kind) ?? 0,
        changed: changedOf.get(kind) ?? 0,
      })).filter((one) => one.dropped + one.changed > 0),
    }
  }
}

const RANK: Readonly<Record<DetailFate, number>> = { dropped: 0, unknown: 1, changed: 2, kept: 3 }

function countsByKind(lost: readonly DetailLoss[]): ReadonlyMap<DetailKind, number> {
  const counts = new Map<DetailKind, number>()
  for (const { detail } of lost) counts.set(detail.kind, (counts.get(detail.kind) ?? 0) + 1)
  return counts
}
