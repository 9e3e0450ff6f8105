import { skipToken, useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { useRoute } from '../../routes.ts'

/** The selection, if it is a summary; null otherwise, and as long as nobody knows. */
export function useChosenSummary(): string | null {
  const { selection } = useRoute()
  const { data } = useQuery(
    api.retrieval.describe.queryOptions({ input: selection === null ? skipToken : { id: selection } }),
  )
  return data?.kind === 'leaf' || data?.kind === 'condensed' ? data.id : null
}
