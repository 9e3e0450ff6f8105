import { lazy, Suspense } from 'react'
import { StrataView } from '../features/strata/strata-view.tsx'
import { useRoute } from '../routes.ts'

/** The graph needs a large library, for which the strata do not wait. */
const LineageGraph = lazy(() =>
  import('../features/graph/lineage-graph.tsx').then((module) => ({ default: module.LineageGraph })),
)

/** The conversation as strata, and below it the lineage of the selected node. */
export function StrataAndLineage({ conversationId }: { readonly conversationId: number }) {
  const { selection } = useRoute()
  return (
    <StrataView conversationId={conversationId}>
      <Suspense>
        <LineageGraph conversationId={conversationId} focusId={selection} />
      </Suspense>
    </StrataView>
  )
}
