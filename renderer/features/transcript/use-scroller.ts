import { useCallback, useEffect, useRef, useState } from 'react'

type Scroller = {
  /** The first row in sight. */
  readonly top: number
  /** Call this after a movement. */
  readonly lookAtTop: () => void
  /** Scrolls as little as needed to show a whole row. Returns false when the row is not near. */
  readonly reveal: (position: number) => boolean
  readonly scrollerRef: (scroller: HTMLElement | Window | null) => void
}

/**
 * Measures where the rows really are. The list knows which rows are on the page, and estimates the height of all
 * others, which is exact enough for long distances and not for the next row.
 */
export function useScroller(initial: number): Scroller {
  const [top, setTop] = useState(initial)
  const scroller = useRef<HTMLElement>(null)
  const frame = useRef(0)
  const scrollerRef = useCallback((element: HTMLElement | Window | null) => {
    scroller.current = element instanceof HTMLElement ? element : null
  }, [])
  // The rows move within this frame, so the first row is determined after it.
  const lookAtTop = useCallback(() => {
    cancelAnimationFrame(frame.current)
    frame.current = requestAnimationFrame(() => {
      const position = scroller.current && topPosition(scroller.current)
      if (position !== null) setTop(position)
    })
  }, [])
  const reveal = useCallback((position: number) => {
    const list = scroller.current
    const row = list?.querySelector(`[data-index="${position}"]`)
    if (!list || !row) return false
    const box = list.getBoundingClientRect()
    const { top: rowTop, bottom } = row.getBoundingClientRect()
    // For a row taller than the list, the beginning is shown.
    if (rowTop < box.top) list.scrollBy(0, rowTop - box.top)
    else if (bottom > box.bottom) list.scrollBy(0, Math.min(bottom - box.bottom, rowTop - box.top))
    return true
  }, [])
  useEffect(() => () => cancelAnimationFrame(frame.current), [])
  return { top, lookAtTop, reveal, scrollerRef }
}

function topPosition(scroller: HTMLElement): number | null {
  const edge = scroller.getBoundingClientRect().top
  for (const row of scroller.querySelectorAll<HTMLElement>('[data-index]'))
    if (row.getBoundingClientRect().bottom > edge + 1) return Number(row.dataset.index)
  return null
}
