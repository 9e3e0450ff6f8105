import { navigate } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatBytes, formatCount } from '../../ui/format.ts'

/** What an item takes in the core while all are listed, as measured with 2.4 million of them. */
const BYTES_PER_ITEM = 1_500

type Props = {
  readonly items: number
  readonly onList: () => void
}

/** Stands in the place of a list that would keep core and page busy for a long time. */
export function LargeWindow({ items, onList }: Props) {
  return (
    <EmptyState
      title={`${formatCount(items)} items stand in this window`}
      actions={
        <>
          <Button look="primary" onClick={() => navigate({ view: 'compaction' }, 'push')}>
            Plan a compaction
          </Button>
          <Button onClick={onList}>List them all the same</Button>
        </>
      }
    >
      A list of so many takes long, and about {formatBytes(items * BYTES_PER_ITEM)} of memory. Overview and strata show
      the same window at once.
    </EmptyState>
  )
}
