import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'

export type Located = {
  /** True until the position is known. */
  readonly isPending: boolean
  /** The rows that the selection covers, both included, or null when it covers none of this conversation. */
  readonly rows: { readonly first: number; readonly last: number } | null
}

/** Returns the position of the selection in the transcript. */
export function useLocated(conversationId: number, selection: string | null): Located {
  // A file belongs to the whole conversation and has no row.
  const hasPlace = selection !== null && !selection.startsWith('file_')
  const located = useQuery({
    ...api.transcript.locate.queryOptions({ input: { id: selection ?? '' } }),
    enabled: hasPlace,
  })
  if (!hasPlace) return { isPending: false, rows: null }
  const place = located.data
  // A missing node has no position. The detail panel says what is known of it.
  if (place === undefined || place.conversationId !== conversationId)
    return { isPending: located.isPending, rows: null }
  return { isPending: false, rows: { first: place.position, last: place.lastPosition } }
}
