import type { Strata, StrataMessages } from '#core/contract/strata.ts'
import type { Timeline } from '#core/contract/time-travel.ts'
import { firstIndex } from '#renderer/ui/data/first-index.ts'
import type { Buckets } from './buckets.ts'
import type { SummaryIndex } from './summary-index.ts'

/** When each summary was made, by its entry: after how many messages. */
export type Appearances = Int32Array

/** The strata as they were after so many messages. */
export type Replay = {
  readonly at: number
  /** Where that is on the axis. */
  readonly x: number
  /** 1 for the summaries that were there, and for those that stood in the window, by their entries. */
  readonly isThere: Uint8Array
  readonly inWindow: Uint8Array
  /** The parts of the history that stood in the window, each as one summary or as raw messages, from left to right. */
  readonly window: readonly WindowPart[]
}

type WindowPart = { readonly x0: number; readonly x1: number; readonly isRaw: boolean }

/** Returns when the summaries appeared. One that no event made was there as soon as its messages were. */
export function appearancesOf({ summaries }: Strata, index: SummaryIndex, events: Timeline['events']): Appearances {
  const after = Int32Array.from(summaries.x1, (x1) => Math.ceil(x1))
  for (const { summaryId, messages } of events) {
    const entry = index.entryOf(summaryId)
    if (entry !== undefined) after[entry] = messages
  }
  return after
}

type Part = { readonly x0: number; readonly x1: number }

/**
 * Returns, on the axis of messages, what was there after `at` messages. A summary stood in the window unless a deeper one that was there stood for
 * all of it; messages stood there themselves where no summary did.
 */
export function replayAt(strata: Strata, index: SummaryIndex, after: Appearances, at: number): Replay {
  const { x0, x1 } = strata.summaries
  const isThere = Uint8Array.from(after, (messages) => (messages <= at ? 1 : 0))
  const inWindow = new Uint8Array(after.length)
  let cover: readonly Part[] = []
  for (const { lanes } of index.rows) {
    const own: Part[] = []
    for (const lane of lanes) {
      let first = 0
      for (const entry of lane) {
        if (isThere[entry] !== 1) continue
        const part = { x0: x0[entry] ?? 0, x1: x1[entry] ?? 0 }
        while (first < cover.length && (cover[first]?.x1 ?? 0) <= part.x0) first++
        const above = cover[first]
        if (above !== undefined && above.x0 <= part.x0 && above.x1 >= part.x1) continue
        inWindow[entry] = 1
        own.push(part)
      }
    }
    cover = [...cover, ...own].sort((a, b) => a.x0 - b.x0 || a.x1 - b.x1)
  }
  return { at, x: at, isThere, inWindow, window: withMessages(cover, at) }
}

/** Adds the messages that no part stands for, up to `at`. */
function withMessages(cover: readonly Part[], at: number): readonly WindowPart[] {
  const window: WindowPart[] = []
  let end = 0
  for (const part of cover) {
    if (part.x0 > end) window.push({ x0: end, x1: Math.min(part.x0, at), isRaw: true })
    window.push({ ...part, isRaw: false })
    end = Math.max(end, part.x1)
  }
  if (end < at) window.push({ x0: end, x1: at, isRaw: true })
  return window
}

/** Where messages lie on an axis: the end of so many, and the beginning of the one after them. */
type Positions = { readonly endOf: (messages: number) => number; readonly startAfter: (messages: number) => number }

/** Reads positions from columns that show all messages. Within a column of several they are spread evenly. */
export function positionsIn({ x0, x1, count }: StrataMessages): Positions {
  let sum = 0
  const ends = count.map((messages) => {
    sum += messages
    return sum
  })
  const within = (column: number, messages: number): number => {
    const [from, to, all] = [x0[column], x1[column], count[column]]
    if (from === undefined || to === undefined || all === undefined) return x1.at(-1) ?? 0
    return from + ((to - from) * (messages - (ends[column] ?? 0) + all)) / all
  }
  return {
    endOf: (messages) =>
      within(
        firstIndex(ends.length, (column) => (ends[column] ?? 0) >= messages),
        messages,
      ),
    startAfter: (messages) =>
      within(
        firstIndex(ends.length, (column) => (ends[column] ?? 0) > messages),
        messages,
      ),
  }
}

/** Another axis than that of messages: where messages lie on it, and which entries its summaries have on that of messages. */
export type OtherAxis = { readonly positions: Positions; readonly entries: Int32Array }

/** Returns an axis that is shown. `index` is that of the axis of messages. */
export const otherAxis = (index: SummaryIndex, { summaries }: Strata, columns: StrataMessages): OtherAxis => ({
  positions: positionsIn(columns),
  entries: Int32Array.from(summaries.id, (id) => index.entryOf(id) ?? -1),
})

/** Places a replay on another axis. */
export function onAxis(replay: Replay, { positions, entries }: OtherAxis): Replay {
  return {
    at: replay.at,
    x: replay.at === 0 ? 0 : positions.endOf(replay.at),
    isThere: Uint8Array.from(entries, (entry) => replay.isThere[entry] ?? 0),
    inWindow: Uint8Array.from(entries, (entry) => replay.inWindow[entry] ?? 0),
    window: replay.window.map((part) => ({
      ...part,
      x0: positions.startAfter(part.x0),
      x1: positions.endOf(part.x1),
    })),
  }
}

/** Returns the tokens of the window after `at` messages: those after the last event, and of what was said since. */
export function tokensAt(events: Timeline['events'], overview: Buckets | null, at: number): number {
  const last = events.findLast(({ messages }) => messages <= at)
  let tokens = last?.activeTokens ?? 0
  const from = last?.messages ?? 0
  let before = 0
  for (const entry of overview?.entries ?? []) {
    if (before >= at) break
    if (before >= from) tokens += overview?.columns.tokens[entry] ?? 0
    before += overview?.columns.count[entry] ?? 0
  }
  return tokens
}

/** At the usual speed, a whole conversation takes this time. */
const WHOLE_SECONDS = 20

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8] as const
export type Speed = (typeof SPEEDS)[number]

/** Returns the next slower or faster speed. */
export function speedBeside(speed: Speed, step: -1 | 1): Speed {
  const next = SPEEDS[SPEEDS.indexOf(speed) + step]
  return next ?? speed
}

/** Returns where a replay is `elapsedMs` later; at its end it stays. */
export const playedTo = (at: number, elapsedMs: number, speed: number, total: number): number =>
  Math.min(total, at + (elapsedMs / 1000) * speed * (total / WHOLE_SECONDS))
