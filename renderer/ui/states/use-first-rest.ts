import { type QueryFilters, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/**
 * Returns true once none of some requests has been under way for a while, and from then on. Then the requests are not
 * looked at any longer, because each look goes through all of them after each change of one.
 * @param of the requests that count; the same object in each render
 */
export function useFirstRest(of: QueryFilters, restMs: number): boolean {
  const queries = useQueryClient()
  const [isAtRest, setAtRest] = useState(false)
  useEffect(() => {
    if (isAtRest) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      const isBusy = queries.isFetching(of) > 0
      if (isBusy) clearTimeout(timer)
      timer = isBusy ? undefined : (timer ?? setTimeout(() => setAtRest(true), restMs))
    }
    look()
    const stopLooking = queries.getQueryCache().subscribe(look)
    return () => {
      stopLooking()
      clearTimeout(timer)
    }
  }, [queries, of, restMs, isAtRest])
  return isAtRest
}
