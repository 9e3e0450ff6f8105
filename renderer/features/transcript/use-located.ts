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
  const isInTranscript = selection !== null && !selection.startsWith('file_')
  const located = useQuery({
    ...api.transcript.locate.queryOptions({ input: { id: selection ?? '' } }),
    enabled: isInTranscript,
  })
  if (!isInTranscript) return { isPending: false, rows: null }
  const { data, isPending } = located
  // A missing node has no position. The detail panel says what is known of it.
  if (data === undefined || data.conversationId !== conversationId) return { isPending, rows: null }
  return { isPending: false, rows: { first: data.position, last: data.lastPosition } }
}
