import { useDeferredValue } from 'react'
import { StrataView } from '../features/strata/strata-view.tsx'
import { useRoutePart } from '../routes.ts'
import { later } from '../ui/later.tsx'

/** The graph needs a large library, for which the strata do not wait. */
const LineageGraph = later(() => import('../features/graph/lineage-graph.tsx').then(({ LineageGraph }) => LineageGraph))

/** The conversation as strata, and below it the lineage of the selected node. */
export function StrataAndLineage({ conversationId }: { readonly conversationId: number }) {
  return (
    <StrataView conversationId={conversationId}>
      <SelectedLineage conversationId={conversationId} />
    </StrataView>
  )
}

/** Follows the selection once its detail is there: the graph takes longer to draw. */
function SelectedLineage({ conversationId }: { readonly conversationId: number }) {
  const selection = useDeferredValue(useRoutePart('selection'))
  return <LineageGraph conversationId={conversationId} focusId={selection} />
}
