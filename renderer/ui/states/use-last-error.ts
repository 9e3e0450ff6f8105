import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'

/**
 * Returns the error of a query, or null. Asking again clears it in the query. Here it stays until there is an answer, and
 * with it the page that shows it and a dialog on that page.
 */
export function useLastError({ error, isPending }: Pick<UseQueryResult, 'error' | 'isPending'>): Error | null {
  const [last, setLast] = useState<Error | null>(null)
  const shown = error ?? (isPending ? last : null)
  if (shown !== last) setLast(shown)
  return shown
}
