import { skipToken, useQuery } from '@tanstack/react-query'
import { api } from '#renderer/api.ts'
import { useRoutePart } from '#renderer/routes.ts'

/** Returns the selection if it is a summary, and null otherwise or while that is not known. */
export function useChosenSummary(): string | null {
  const selection = useRoutePart('selection')
  const { data } = useQuery(
    api.retrieval.describe.queryOptions({ input: selection === null ? skipToken : { id: selection } }),
  )
  return data?.kind === 'leaf' || data?.kind === 'condensed' ? data.id : null
}
