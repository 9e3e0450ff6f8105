import { type DetailFate, DetailKind, type LossReport, type LostDetail } from '../contract/loss.ts'
import type { Detail } from './details.ts'

/** The order in which losses are listed. */
const KIND_ORDER = DetailKind.options

/** A detail that did not come through, with everything that is known of it. */
export type Lost = {
  readonly detail: Detail
  readonly sentence: string
  readonly entry: LostDetail
  readonly isSaid: boolean
  readonly isChanged: boolean
}

/** By which two details are the same, wherever they are said. */
export const keyOf = ({ kind, text }: Detail): string => `${kind} ${text.toLowerCase()}`

/** Each once, in the order of the kinds; what people and agents said before what tools gave, and older things first. */
export function listed(lost: readonly Lost[]): LostDetail[] {
  const once = new Map<string, Lost>()
  for (const one of lost) {
    const key = keyOf(one.detail)
    const known = once.get(key)
    if (!known || (one.isSaid && !known.isSaid)) once.set(key, one)
  }
  return [...once.values()]
    .sort(
      (a, b) =>
        KIND_ORDER.indexOf(a.detail.kind) - KIND_ORDER.indexOf(b.detail.kind) ||
        Number(b.isSaid) - Number(a.isSaid) ||
        Number(isMere(a.detail)) - Number(isMere(b.detail)) ||
        (a.entry.seq ?? 0) - (b.entry.seq ?? 0),
    )
    .map(({ entry }) => entry)
}

/** A number of one digit says little without its sentence. */
const isMere = ({ kind, text }: Detail): boolean => kind === 'number' && text.length < 2

/** Counts details, each once however often it was said. */
export class Tally {
  readonly #seen = new Map<string, DetailFate>()

  see(detail: Detail, fate: DetailFate): void {
    const key = keyOf(detail)
    const known = this.#seen.get(key)
    if (known === undefined || RANK[fate] > RANK[known]) this.#seen.set(key, fate)
  }

  standsElsewhere(detail: Detail): void {
    this.#seen.set(keyOf(detail), 'kept')
  }

  /** What was lost in one place counts as lost, even if the same words are kept in another. So the counts add up. */
  counts(items: number, gone: readonly Lost[]): LossReport['counts'] {
    const lost = new Set(gone.map(({ detail }) => keyOf(detail)))
    const rest = [...this.#seen].filter(([key]) => !lost.has(key))
    const kept = rest.filter(([, fate]) => fate === 'kept').length
    const [dropped, changed] = [false, true].map((isChanged) =>
      listed(gone.filter((one) => one.isChanged === isChanged)),
    ) as [LostDetail[], LostDetail[]]
    const of = (lost: readonly LostDetail[], kind: DetailKind): number => lost.filter((one) => one.kind === kind).length
    return {
      items,
      details: rest.length + changed.length + dropped.length,
      kept,
      changed: changed.length,
      unknown: rest.length - kept,
      dropped: dropped.length,
      byKind: KIND_ORDER.map((kind) => ({ kind, dropped: of(dropped, kind), changed: of(changed, kind) })).filter(
        (one) => one.dropped + one.changed > 0,
      ),
    }
  }
}

const RANK: Readonly<Record<DetailFate, number>> = { dropped: 0, unknown: 1, changed: 2, kept: 3 }
