import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'

export type Located = {
  /** True until the position is known. */
  readonly isPending: boolean
  /** Rows that the selection stands for, both included; null when it stands for none of this conversation. */
  readonly rows: { readonly first: number; readonly last: number } | null
}

/** Where the selection stands in the transcript. */
export function useLocated(conversationId: number, selection: string | null): Located {
  // A file belongs to its whole conversation: there is no row to go to.
  const hasPlace = selection !== null && !selection.startsWith('file_')
  const located = useQuery({
    ...api.transcript.locate.queryOptions({ input: { id: selection ?? '' } }),
    enabled: hasPlace,
  })
  if (!hasPlace) return { isPending: false, rows: null }
  const place = located.data
  // A node that is gone has no place here; the detail panel says what is known of it.
  if (place === undefined || place.conversationId !== conversationId)
    return { isPending: located.isPending, rows: null }
  return { isPending: false, rows: { first: place.position, last: place.lastPosition } }
}
