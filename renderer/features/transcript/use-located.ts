import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { api } from '#renderer/api.ts'

export type Located = {
  /** True until the position is known. */
  readonly isPending: boolean
  /** The rows that the selection covers, both included, or null when it covers none of this conversation. */
  readonly rows: Rows | null
  /** Returns the rows, also before they are known. */
  readonly locate: () => Promise<Rows | null>
}

type Rows = { readonly first: number; readonly last: number }

/** Returns the position of the selection in the transcript. */
export function useLocated(conversationId: number, selection: string | null): Located {
  // A file belongs to the whole conversation and has no row.
  const isInTranscript = selection !== null && !selection.startsWith('file_')
  const queries = useQueryClient()
  const id = selection ?? ''
  const { data, isPending } = useQuery({
    ...api.transcript.locate.queryOptions({ input: { id } }),
    enabled: isInTranscript,
  })
  // The same objects while nothing has changed, so that rows are not drawn again.
  const rows = useMemo(
    () => (isInTranscript && data ? rowsIn(conversationId, data) : null),
    [isInTranscript, conversationId, data],
  )
  const locate = useCallback(async () => {
    if (!isInTranscript) return null
    const options = { ...api.transcript.locate.queryOptions({ input: { id } }), staleTime: 'static' as const }
    // A missing node has no position. The detail panel says what is known of it.
    const found = await queries.fetchQuery(options).catch(() => null)
    return found && rowsIn(conversationId, found)
  }, [isInTranscript, conversationId, id, queries])
  return { isPending: isInTranscript && isPending, rows, locate }
}

function rowsIn(
  conversationId: number,
  found: { readonly conversationId: number; readonly position: number; readonly lastPosition: number },
): Rows | null {
  return found.conversationId === conversationId ? { first: found.position, last: found.lastPosition } : null
}
