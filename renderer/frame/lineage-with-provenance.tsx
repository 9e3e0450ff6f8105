import { LineageView } from '../features/lineage/lineage-view.tsx'
import { ProvenancePane } from '../features/provenance/provenance-pane.tsx'

/** The lineage of a node, with the sources of what it says. */
export function LineageWithProvenance({ conversationId }: { readonly conversationId: number }) {
  return (
    <LineageView
      conversationId={conversationId}
      renderText={(text) => <ProvenancePane key={text.summaryId} {...text} />}
    />
  )
}
