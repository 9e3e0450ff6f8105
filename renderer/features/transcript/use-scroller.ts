import { useCallback, useEffect, useRef, useState } from 'react'

type Scroller = {
  /** The first row that can be seen. */
  readonly top: number
  /** Call this when something has moved. */
  readonly lookAtTop: () => void
  /** Scrolls as little as needed to bring a row wholly in sight; false when the row is not near. */
  readonly reveal: (position: number) => boolean
  readonly scrollerRef: (scroller: HTMLElement | Window | null) => void
}

/**
 * Where the rows really are. The list knows which rows are on the page, and guesses the height of all it has not seen:
 * good enough to go far, too rough for the next row.
 */
export function useScroller(initial: number): Scroller {
  const [top, setTop] = useState(initial)
  const scroller = useRef<HTMLElement>(null)
  const frame = useRef(0)
  const scrollerRef = useCallback((element: HTMLElement | Window | null) => {
    scroller.current = element instanceof HTMLElement ? element : null
  }, [])
  // The rows take their new places in this frame, so the top is looked at after it.
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
    // Of a row that is taller than the list, the beginning is shown.
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
