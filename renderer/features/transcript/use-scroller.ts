import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { VirtuosoHandle } from 'react-virtuoso'

/** A row, and where in the list it is shown. */
export type Target = { readonly position: number; readonly align: 'start' | 'center' | 'end' }

/** The part of the list in sight. */
type Sight = {
  /** The first row. */
  readonly top: number
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

/** Heights are fractions of pixels. */
const ROUNDING_PX = 2
const BY_POINTER = ['wheel', 'touchmove', 'pointerdown'] as const

/**
 * Moves the list, and measures where the rows really are. The list knows which rows are on the page, and estimates the
 * height of all others. Rows are loaded and measured after a jump, so a jump is repeated until they are.
 */
export function useScroller(list: RefObject<VirtuosoHandle | null>, total: number, initial: Target | null): Scroller {
  const [sight, setSight] = useState<Sight>({ top: initial?.position ?? 0, isAtEnd: false })
  const scroller = useRef<HTMLElement>(null)
  const held = useRef<Target>(initial)
  const frame = useRef(0)

  const scroll = useCallback(() => {
    const target = held.current
    if (target !== null) list.current?.scrollToIndex({ index: target.position, align: target.align })
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
      const seen = scroller.current && sightOf(scroller.current, total)
      if (seen) setSight((before) => (isSameSight(before, seen) ? before : seen))
    })
  }, [total])
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

  const reveal = useCallback((position: number) => {
    held.current = null
    const box = scroller.current
    const row = box && rowAt(box, position)
    if (!box || !row) return false
    const { top: boxTop, bottom: boxBottom } = box.getBoundingClientRect()
    const { top, bottom } = row.getBoundingClientRect()
    // For a row taller than the list, the beginning is shown.
    if (top < boxTop) box.scrollBy(0, top - boxTop)
    else if (bottom > boxBottom) box.scrollBy(0, Math.min(bottom - boxBottom, top - boxTop))
    return true
  }, [])
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

const rowAt = (scroller: HTMLElement, position: number): Element | null =>
  scroller.querySelector(`[data-index="${position}"]`)

function sightOf(scroller: HTMLElement, total: number): Sight | null {
  const { top, bottom } = scroller.getBoundingClientRect()
  const last = rowAt(scroller, total - 1)?.getBoundingClientRect()
  const isAtEnd = last !== undefined && last.bottom <= bottom + ROUNDING_PX
  for (const row of scroller.querySelectorAll<HTMLElement>('[data-index]'))
    if (row.getBoundingClientRect().bottom > top + 1) return { top: Number(row.dataset.index), isAtEnd }
  return null
}

const isSameSight = (a: Sight, b: Sight): boolean => a.top === b.top && a.isAtEnd === b.isAtEnd
