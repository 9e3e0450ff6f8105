import { useState } from 'react'
import type { Filters } from './filters.ts'
import { parseFilters } from './stored-filters.ts'

const KEY = 'lcm:search-filters'

/** The filters of this window. They outlive the view, so that coming back from a hit finds the same list. */
export function useFilters(): readonly [Filters, (filters: Filters) => void] {
  const [filters, setFilters] = useState(() => parseFilters(sessionStorage.getItem(KEY)))
  const change = (next: Filters) => {
    setFilters(next)
    sessionStorage.setItem(KEY, JSON.stringify(next))
  }
  return [filters, change]
}
