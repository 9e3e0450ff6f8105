import { lazy, Suspense } from 'react'
import { StrataView } from '../features/strata/strata-view.tsx'
import { useRoute } from '../routes.ts'

/** The graph comes with a library of its own, and the strata do not wait for it. */
const LineageGraph = lazy(() =>
  import('../features/graph/lineage-graph.tsx').then((module) => ({ default: module.LineageGraph })),
)

/** The signature view: the whole conversation as strata, and below it the lineage of the node in hand. */
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
