import { useCallback, useRef, useState } from 'react'
import { PAGE_SIZE } from './pages.ts'

/** The rows on the page, both included. */
export type RowRange = { readonly first: number; readonly last: number }

/** While the scroll thumb is dragged past thousands of rows, none of them is fetched. */
const SETTLE_MS = 90

/** Returns the rows in sight: at once while scrolling, and after a jump when it has come to rest. */
export function useSight(): readonly [RowRange, (range: RowRange) => void] {
  const [settled, setSettled] = useState<RowRange>({ first: 0, last: 0 })
  const seen = useRef(settled)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const look = useCallback((range: RowRange) => {
    const isLeap = Math.abs(range.first - seen.current.first) > PAGE_SIZE
    seen.current = range
    clearTimeout(timer.current)
    if (isLeap) timer.current = setTimeout(() => setSettled(range), SETTLE_MS)
    else setSettled(range)
  }, [])
  return [settled, look]
}
