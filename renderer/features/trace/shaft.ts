import type { Strata, StrataMessages } from '#core/contract/strata.ts'
import type { Rung } from '#core/contract/trace.ts'
import { firstIndex } from '#renderer/ui/data/first-index.ts'
import { messageNumber } from '#renderer/ui/nodes/message-number.ts'

/** A bar of the shaft, from 0 to 1 along the messages of the top node. */
export type ShaftBar = { readonly from: number; readonly to: number }

/** Messages beside the traced one: a bar, and its height from 0 to 1. */
type ShaftColumn = ShaftBar & { readonly height: number }

export type Shaft = {
  /** For each rung, the window first: the part of the top node's messages that it stands for. */
  readonly bars: readonly ShaftBar[]
  /** Where the traced message stands. */
  readonly foot: ShaftBar
  /** For each rung: the summaries of its depth that stand beside it under the top node. */
  readonly neighbours: readonly (readonly ShaftBar[])[]
  /** The messages under the top node. */
  readonly columns: readonly ShaftColumn[]
  /** The numbers of the first and of the last message under the top node, or null where they are not known. */
  readonly ends: readonly [first: number, last: number] | null
}

/** The strata around a ladder: a slice as wide as its top node. */
export type ShaftSlice = { readonly strata: Strata; readonly x0: number; readonly x1: number }

/** The least width of a bar, so that one message can be seen. */
const LEAST = 0.1
/** The same between neighbours, and the narrowest neighbour or gap that is drawn by itself. */
const LEAST_BESIDE = 0.04
const NARROW = 0.015

/** Returns the slice of the strata in which the ladder stands, or null when the strata do not hold its top node. */
export function sliceOf(ladder: readonly Rung[], strata: Strata | undefined): ShaftSlice | null {
  const top = ladder.findLast(({ kind }) => kind !== 'window' && kind !== 'message')
  const entry = strata === undefined || top === undefined ? -1 : strata.summaries.id.indexOf(top.id ?? '')
  if (strata === undefined || entry < 0) return null
  const [x0, x1] = [strata.summaries.x0[entry] ?? 0, strata.summaries.x1[entry] ?? 0]
  return x1 > x0 ? { strata, x0, x1 } : null
}

/** Places the rungs of a ladder over the messages that its top node stands for, as far as is known among their neighbours. */
export function shaftOf(
  ladder: readonly Rung[],
  slice: ShaftSlice | null,
  messages: StrataMessages | undefined,
): Shaft {
  const bySeq = barsBySeq(ladder)
  const bars = slice === null ? bySeq : ladder.map((rung, at) => barAmong(rung, slice, messages) ?? bySeq[at] ?? WHOLE)
  return {
    bars: bars.toReversed(),
    foot: bars[0] ?? WHOLE,
    neighbours: ladder.map((rung) => (slice === null ? [] : neighboursOf(rung, slice))).toReversed(),
    columns: slice === null || messages === undefined ? [] : columnsOf(slice, messages),
    ends: slice && [slice.x0 + 1, slice.x1],
  }
}

const WHOLE: ShaftBar = { from: 0, to: 1 }

function barsBySeq(ladder: readonly Rung[]): readonly ShaftBar[] {
  const nodes = ladder.filter(({ kind }) => kind !== 'window')
  const first = Math.min(...nodes.map(({ firstSeq }) => firstSeq ?? Number.POSITIVE_INFINITY))
  const last = Math.max(...nodes.map(({ lastSeq }) => lastSeq ?? Number.NEGATIVE_INFINITY))
  const length = last - first + 1
  return ladder.map(({ kind, firstSeq, lastSeq }) => {
    if (kind === 'window' || firstSeq === null || lastSeq === null || !(length > 0)) return WHOLE
    return atLeast(LEAST, (firstSeq - first) / length, (lastSeq + 1 - first) / length)
  })
}

function atLeast(least: number, start: number, end: number): ShaftBar {
  const from = Math.max(0, Math.min(start, 1 - least))
  return { from, to: Math.max(Math.min(end, 1), from + least) }
}

function barAmong({ kind, id }: Rung, { strata, x0, x1 }: ShaftSlice, messages: StrataMessages | undefined) {
  const share = (x: number) => (x - x0) / (x1 - x0)
  if (kind === 'window' || id === null) return WHOLE
  if (kind === 'message') {
    const number = messageNumber(id)
    if (number === null || messages === undefined) return null
    const column = firstIndex(messages.firstMessage.length, (at) => (messages.firstMessage[at] ?? 0) > number) - 1
    const [from, to] = [messages.x0[column], messages.x1[column]]
    return from === undefined || to === undefined ? null : atLeast(LEAST_BESIDE, share(from), share(to))
  }
  const entry = strata.summaries.id.indexOf(id)
  if (entry < 0) return null
  return atLeast(LEAST_BESIDE, share(strata.summaries.x0[entry] ?? 0), share(strata.summaries.x1[entry] ?? 0))
}

/** Returns the other summaries of a rung's depth. Those that are too narrow to be drawn singly are merged. */
function neighboursOf({ kind, id, depth }: Rung, { strata, x0, x1 }: ShaftSlice): readonly ShaftBar[] {
  if (kind === 'window' || kind === 'message') return []
  const { summaries } = strata
  const bars: ShaftBar[] = []
  for (const [entry, own] of summaries.depth.entries()) {
    const [start, end] = [summaries.x0[entry] ?? 0, summaries.x1[entry] ?? 0]
    if (own !== depth || summaries.id[entry] === id || end <= x0 || start >= x1) continue
    const [from, to] = [Math.max(0, (start - x0) / (x1 - x0)), Math.min(1, (end - x0) / (x1 - x0))]
    const before = bars.at(-1)
    if (before && from - before.to < NARROW && Math.min(to - from, before.to - before.from) < NARROW)
      bars[bars.length - 1] = { from: before.from, to: Math.max(before.to, to) }
    else bars.push({ from, to })
  }
  return bars
}

function columnsOf({ x0, x1 }: ShaftSlice, messages: StrataMessages): readonly ShaftColumn[] {
  const most = messages.maxTokens.reduce((a, b) => Math.max(a, b), 1)
  return messages.maxTokens.map((tokens, at) => ({
    from: ((messages.x0[at] ?? 0) - x0) / (x1 - x0),
    to: ((messages.x1[at] ?? 0) - x0) / (x1 - x0),
    height: tokens / most,
  }))
}
