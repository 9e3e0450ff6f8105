import { useMemo, useRef } from 'react'
import { navigate, useShown } from '#renderer/routes.ts'
import { type MessageRange, parseRange, rangeText } from '#renderer/ui/data/range-address.ts'

/** Returns the part of a range that a conversation has, or null when it has none of it. */
export const rangeWithin = (range: MessageRange | null, total: number): MessageRange | null =>
  range === null || range.first >= total ? null : { first: range.first, last: Math.min(range.last, total - 1) }

/** Returns the range from one position to another, in whichever order. */
export const rangeBetween = (a: number, b: number): MessageRange => ({ first: Math.min(a, b), last: Math.max(a, b) })

/** The name under which the address holds the chosen messages, as the numbers that are shown. */
export const CHOSEN = 'messages.range'

export type RangeSelection = {
  readonly range: MessageRange | null
  /** Extends the range, or the selection at `from`, to a position. */
  readonly extendTo: (position: number, from: number) => void
  /** Moves the end of the range that is not its beginning. Returns its new position. */
  readonly extendBy: (steps: 1 | -1, from: number) => number
  readonly clear: () => void
}

/** Messages that are selected together, which the address holds. */
export function useChosenMessages(total: number): RangeSelection {
  const [text, setText] = useShown(CHOSEN)
  const range = useMemo(() => rangeWithin(parseRange(text), total), [text, total])
  // The message at which the range began, which stays in it.
  const anchor = useRef<number>(null)
  const startOf = (from: number): number => {
    if (range === null) return from
    const { first, last } = range
    return anchor.current === last ? last : first
  }
  const extendTo = (position: number, from: number): void => {
    anchor.current = startOf(from)
    navigate({ shown: { [CHOSEN]: rangeText(rangeBetween(anchor.current, position)) } }, 'replace')
  }
  const extendBy = (steps: 1 | -1, from: number): number => {
    const start = startOf(from)
    const end = range === null ? from : start === range.first ? range.last : range.first
    const position = Math.min(total - 1, Math.max(0, end + steps))
    extendTo(position, from)
    return position
  }
  return { range, extendTo, extendBy, clear: () => setText(null) }
}

export const isInside = (range: MessageRange | null, position: number): boolean =>
  range !== null && position >= range.first && position <= range.last

/** With Shift a click extends the range, where the browser would mark text. */
export function keepTextUnmarked(event: { readonly shiftKey: boolean; preventDefault(): void }): void {
  if (event.shiftKey) event.preventDefault()
}
