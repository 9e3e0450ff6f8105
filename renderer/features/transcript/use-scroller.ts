import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { VirtuosoHandle } from 'react-virtuoso'

/** A row, and where in the list it is shown. */
export type Target = { readonly position: number; readonly align: 'start' | 'center' | 'end' }

/** The part of the list in sight. */
type Sight = {
  /** The first row. */
  readonly top: number
  /** The last row. */
  readonly bottom: number
  /** True when the end of the last row is in sight. */
  readonly isAtEnd: boolean
}

type Scroller = Sight & {
  /** Shows a row, and keeps it in its place while rows around it get their height, until the user moves the list. */
  readonly goTo: (target: Target) => void
  /** Scrolls as little as needed to show a whole row. Returns false when the row is not near. */
  readonly reveal: (position: number) => boolean
  /** Call this after a movement. */
  readonly lookAtRows: () => void
  /** Call this when rows have got their height. */
  readonly onHeights: () => void
  readonly scrollerRef: (scroller: HTMLElement | Window | null) => void
}

type Options = {
  readonly total: number
  /** The position of the first row in the conversation. */
  readonly offset: number
  readonly initial: Target | null
  /** Returns the row in which a message is drawn, as far as it is known. */
  readonly rowOf: (position: number) => number
}

/** Heights are fractions of pixels. */
const ROUNDING_PX = 2
const BY_POINTER = ['wheel', 'touchmove', 'pointerdown'] as const

/**
 * Moves the list, and measures where the rows really are. The list knows which rows are on the page, and estimates the
 * height of all others. Rows are loaded and measured after a jump, so a jump is repeated until they are.
 */
export function useScroller(
  list: RefObject<VirtuosoHandle | null>,
  { total, offset, initial, rowOf }: Options,
): Scroller {
  const [sight, setSight] = useState<Sight>(() => ({
    top: initial?.position ?? 0,
    bottom: initial?.position ?? 0,
    isAtEnd: false,
  }))
  const scroller = useRef<HTMLElement>(null)
  const held = useRef<Target>(initial)
  const frame = useRef(0)

  const latestRowOf = useRef(rowOf)
  useLayoutEffect(() => {
    latestRowOf.current = rowOf
  })

  const scroll = useCallback(() => {
    const target = held.current
    if (target === null) return
    const isLast = target.align === 'end'
    const index = isLast ? target.position : latestRowOf.current(target.position)
    list.current?.scrollToIndex({ index, align: target.align })
  }, [list])
  const goTo = useCallback(
    (target: Target) => {
      held.current = target
      scroll()
    },
    [scroll],
  )
  useLetGo(scroller, held)

  // The rows move within this frame, so they are measured after it.
  const lookAtRows = useCallback(() => {
    cancelAnimationFrame(frame.current)
    frame.current = requestAnimationFrame(() => {
      const seen = scroller.current && sightOf(scroller.current, total, offset)
      if (seen) setSight((before) => (isSameSight(before, seen) ? before : seen))
    })
  }, [total, offset])
  useEffect(() => () => cancelAnimationFrame(frame.current), [])
  const onHeights = useCallback(() => {
    scroll()
    lookAtRows()
  }, [scroll, lookAtRows])

  // New messages scroll the list only when it is at its end already. The list's own way of following would also scroll
  // when the user unfolds a row.
  const isAtEnd = useRef(false)
  useLayoutEffect(() => {
    if (isAtEnd.current) goTo({ position: total - 1, align: 'end' })
    lookAtRows()
  }, [total, goTo, lookAtRows])
  useLayoutEffect(() => {
    isAtEnd.current = sight.isAtEnd
  }, [sight])

  const reveal = useCallback(
    (position: number) => {
      held.current = null
      const box = scroller.current
      const row = box && rowAt(box, position, offset)
      if (!box || !row) return false
      const { top: boxTop, bottom: boxBottom } = box.getBoundingClientRect()
      const { top, bottom } = row.getBoundingClientRect()
      // For a row taller than the list, the beginning is shown.
      if (top < boxTop) box.scrollBy(0, top - boxTop)
      else if (bottom > boxBottom) box.scrollBy(0, Math.min(bottom - boxBottom, top - boxTop))
      return true
    },
    [offset],
  )
  const scrollerRef = useCallback((element: HTMLElement | Window | null) => {
    scroller.current = element instanceof HTMLElement ? element : null
  }, [])
  return { ...sight, goTo, reveal, lookAtRows, onHeights, scrollerRef }
}

/** Lets go of the target of a jump when the user moves the list or presses a key. */
function useLetGo(scroller: RefObject<HTMLElement | null>, held: RefObject<Target | null>): void {
  useEffect(() => {
    const letGo = (event: Event) => {
      if (event.type === 'keydown' || scroller.current?.contains(event.target as Node)) held.current = null
    }
    const names = [...BY_POINTER, 'keydown']
    for (const name of names) window.addEventListener(name, letGo, { capture: true, passive: true })
    return () => {
      for (const name of names) window.removeEventListener(name, letGo, { capture: true })
    }
  }, [scroller, held])
}

const rowAt = (scroller: HTMLElement, row: number, offset: number): Element | null =>
  scroller.querySelector(`[data-position="${row + offset}"]`) ?? scroller.querySelector(`[data-index="${row}"]`)

function sightOf(scroller: HTMLElement, total: number, offset: number): Sight | null {
  const { top, bottom } = scroller.getBoundingClientRect()
  const last = scroller.querySelector(`[data-index="${total - 1}"]`)?.getBoundingClientRect()
  const isAtEnd = last !== undefined && last.bottom <= bottom + ROUNDING_PX
  const inSight = [...scroller.querySelectorAll<HTMLElement>('[data-index]')].filter((row) => {
    const box = row.getBoundingClientRect()
    return box.bottom > top + 1 && box.top < bottom
  })
  const [row] = inSight
  const lowest = inSight.at(-1)
  if (row === undefined || lowest === undefined) return null
  const position = lastAbove(row, top)
  const first = position === null ? Number(row.dataset.index) : position - offset
  return { top: first, bottom: Number(lowest.dataset.index), isAtEnd }
}

/** Returns the position of the message in a row that begins last above a line, or null. */
function lastAbove(row: HTMLElement, line: number): number | null {
  const messages = [...row.querySelectorAll<HTMLElement>('[data-position]')]
  const last = messages.findLast((message) => message.getBoundingClientRect().top <= line + 1)
  return last === undefined ? null : Number(last.dataset.position)
}

const isSameSight = (a: Sight, b: Sight): boolean => a.top === b.top && a.bottom === b.bottom && a.isAtEnd === b.isAtEnd
