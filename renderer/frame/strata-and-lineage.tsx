import { LineageGraph } from '../features/graph/lineage-graph.tsx'
import { StrataView } from '../features/strata/strata-view.tsx'
import { useRoute } from '../routes.ts'

/** The signature view: the whole conversation as strata, and below it the lineage of the node in hand. */
export function StrataAndLineage({ conversationId }: { readonly conversationId: number }) {
  const { selection } = useRoute()
  return (
    <StrataView conversationId={conversationId}>
      <LineageGraph conversationId={conversationId} focusId={selection} />
    </StrataView>
  )
}
