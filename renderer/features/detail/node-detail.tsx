import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Description } from '../../../core/contract/lineage.ts'
import { api } from '../../api.ts'
import { navigate } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { DetailContent } from './detail-content.tsx'

type Props = {
  readonly id: string
  /** Renders the menu of changes by hand. */
  readonly operate: (description: Description) => ReactNode
}

/** The details of a message, a summary or a file. */
export function NodeDetail({ id, operate }: Props) {
  const description = useQuery(
    api.retrieval.describe.queryOptions({ input: { id }, placeholderData: keepPreviousData }),
  )
  if (description.error)
    return (
      <ErrorState
        error={description.error}
        onRetry={() => void description.refetch()}
        actions={<Button onClick={() => navigate({ selection: null }, 'push')}>Clear the selection</Button>}
      />
    )
  // Keeping the previous node for a moment would show it under the new id.
  if (!description.data) return <Loading what={id} lines={7} />
  return <DetailContent key={description.data.id} description={description.data} operate={operate(description.data)} />
}
