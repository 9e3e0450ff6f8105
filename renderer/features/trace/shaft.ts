import type { Rung } from '../../../core/contract/trace.ts'

/** A bar of the shaft, from 0 to 1 along the messages of the top node. */
export type ShaftBar = { readonly from: number; readonly to: number }

export type Shaft = {
  /** For each rung, the window first: the part of the top node's messages that it stands for. */
  readonly bars: readonly ShaftBar[]
  /** Where the traced message stands. */
  readonly foot: ShaftBar
}

/** The least width of a bar, so that one message can be seen. */
const LEAST = 0.1

/** Places the rungs of a ladder over the messages that its top node stands for. */
export function shaftOf(ladder: readonly Rung[]): Shaft {
  const nodes = ladder.filter(({ kind }) => kind !== 'window')
  const first = Math.min(...nodes.map(({ firstSeq }) => firstSeq ?? Number.POSITIVE_INFINITY))
  const last = Math.max(...nodes.map(({ lastSeq }) => lastSeq ?? Number.NEGATIVE_INFINITY))
  const length = last - first + 1
  const barOf = ({ kind, firstSeq, lastSeq }: Rung): ShaftBar => {
    if (kind === 'window' || firstSeq === null || lastSeq === null || !(length > 0)) return { from: 0, to: 1 }
    const from = Math.min((firstSeq - first) / length, 1 - LEAST)
    return { from, to: Math.max((lastSeq + 1 - first) / length, from + LEAST) }
  }
  const bars = ladder.map(barOf).reverse()
  return { bars, foot: ladder[0] ? barOf(ladder[0]) : { from: 0, to: 1 } }
}
