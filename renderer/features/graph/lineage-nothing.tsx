import { toErrorInfo } from '../../error-text.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loading } from '../../ui/loading.tsx'

type Props = {
  readonly error: unknown
  readonly onRetry: () => void
  /** There is no summary, and nothing has been selected. */
  readonly isEmpty: boolean
}

/** What stands in place of the graph while there is none. */
export function LineageNothing({ error, onRetry, isEmpty }: Props) {
  if (isEmpty)
    return (
      <EmptyState title="No lineage yet">
        It begins with the first summary. Select a message to see where it stands.
      </EmptyState>
    )
  if (error === null) return <Loading what="the lineage" />
  if (toErrorInfo(error).code === 'not_found')
    return <EmptyState title="No lineage">What is selected is neither a message nor a summary of this file.</EmptyState>
  return <ErrorState error={error} onRetry={onRetry} />
}
