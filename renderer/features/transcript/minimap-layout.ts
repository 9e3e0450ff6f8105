import type { StrataMessages } from '#core/contract/strata.ts'
import { firstIndex } from '#renderer/ui/data/first-index.ts'

/** A short conversation is drawn at this height a message, and the rest of the map stays empty. */
const MOST_ROW_PX = 5
const LEAST_MARK_PX = 2
const LEAST_VIEWPORT_PX = 6

/** Where messages are on the map, from top to bottom. */
export type MapScale = { readonly total: number; readonly heightPx: number }

export const mapScale = (total: number, heightPx: number): MapScale => ({
  total,
  heightPx: Math.min(heightPx, total * MOST_ROW_PX),
})

export const toMapPx = ({ total, heightPx }: MapScale, position: number): number =>
  total === 0 ? 0 : (position / total) * heightPx

/** Returns the position of the message at a place of the map. */
export const fromMapPx = ({ total, heightPx }: MapScale, px: number): number =>
  Math.min(total - 1, Math.max(0, Math.floor((px / Math.max(1, heightPx)) * total)))

export type Bar = {
  readonly y: number
  readonly height: number
  /** 0 to 1. */
  readonly width: number
  /** An index of ROLES. */
  readonly role: number
  /** The part of its messages that is in the window itself, 0 to 1. */
  readonly inWindow: number
}

/** Returns the messages as bars: the longer, the more tokens the largest message has. Lengths are logarithmic. */
export function mapBars(columns: StrataMessages, scale: MapScale): readonly Bar[] {
  const largest = Math.log2(columns.maxTokens.reduce((most, tokens) => Math.max(most, tokens), 64) + 1)
  return columns.x0.map((x0, index) => {
    const y = toMapPx(scale, x0)
    const count = columns.count[index] ?? 1
    return {
      y,
      height: toMapPx(scale, columns.x1[index] ?? x0) - y,
      width: Math.log2((columns.maxTokens[index] ?? 0) + 1) / largest,
      role: columns.role[index] ?? 0,
      inWindow: (columns.inWindow[index] ?? 0) / Math.max(1, count),
    }
  })
}

/** Returns the place of a message, as exact as the columns. Message numbers ascend along the history. */
function placeOf(columns: StrataMessages, scale: MapScale, number: number): number | null {
  const next = firstIndex(columns.firstMessage.length, (index) => (columns.firstMessage[index] ?? 0) > number)
  const x0 = columns.x0[next - 1]
  return x0 === undefined ? null : toMapPx(scale, x0)
}

/** Returns the places of marks without those that would cover each other. */
export function markPlaces(columns: StrataMessages, scale: MapScale, ids: Iterable<string>): readonly number[] {
  const places = new Set<number>()
  for (const id of ids) {
    const digits = /^msg_(\d{1,15})$/.exec(id)?.[1]
    const place = digits === undefined ? null : placeOf(columns, scale, Number(digits))
    if (place !== null) places.add(Math.round(place / LEAST_MARK_PX) * LEAST_MARK_PX)
  }
  return [...places].sort((a, b) => a - b)
}

/** Returns the part of the map that is in sight, which is never too small to be seen and taken hold of. */
export function mapViewport(
  scale: MapScale,
  first: number,
  last: number,
): { readonly y: number; readonly height: number } {
  const top = toMapPx(scale, first)
  const height = Math.max(LEAST_VIEWPORT_PX, toMapPx(scale, last + 1) - top)
  return { y: Math.max(0, Math.min(top, scale.heightPx - height)), height }
}
