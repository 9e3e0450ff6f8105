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
  readonly note: NoteOfNode
}

/** What renders the buttons and the text of a note. */
export type NoteOfNode = {
  readonly buttons: (id: string) => ReactNode
  readonly section: (id: string) => ReactNode
}

/** The details of a message, a summary or a file. */
export function NodeDetail({ id, operate, note }: Props) {
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
  const { data } = description
  return (
    <DetailContent
      key={data.id}
      description={data}
      operate={operate(data)}
      noteButtons={note.buttons(data.id)}
      note={note.section(data.id)}
    />
  )
}
