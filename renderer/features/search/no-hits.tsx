import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { activeFilters, type Filters, withoutFilters } from './filters.ts'

type Props = {
  readonly query: string
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
}

/** Nothing was found; what could be tried instead. */
export function NoHits({ query, filters, onFilters }: Props) {
  const { mode, scope, where } = filters
  const isNarrowed = activeFilters(filters) > 0
  return (
    <EmptyState
      title={`Nothing ${mode === 'regex' ? 'matches' : 'has'} “${query.length > 80 ? `${query.slice(0, 80)}…` : query}”`}
      actions={
        <>
          {isNarrowed && <Button onClick={() => onFilters(withoutFilters(filters))}>Clear the filters</Button>}
          {where === 'conversation' && (
            <Button onClick={() => onFilters({ ...filters, where: 'everywhere' })}>Search all conversations</Button>
          )}
          {scope !== 'both' && (
            <Button onClick={() => onFilters({ ...filters, scope: 'both' })}>Search messages and summaries</Button>
          )}
          {mode === 'full_text' && (
            <Button onClick={() => onFilters({ ...filters, mode: 'literal' })}>Search for these characters</Button>
          )}
        </>
      }
    >
      {isNarrowed ? 'The filters may hide it.' : 'Every row was looked at.'}
    </EmptyState>
  )
}
