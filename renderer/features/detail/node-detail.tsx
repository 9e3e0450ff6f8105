import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { navigate } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { DetailContent } from './detail-content.tsx'

/** Everything known of one id. */
export function NodeDetail({ id }: { readonly id: string }) {
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
  // The former node stays until the new one is there: less than a blink, and never under the new one's name.
  if (!description.data) return <Loading what={id} lines={7} />
  return <DetailContent key={description.data.id} description={description.data} />
}
