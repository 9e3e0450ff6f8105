import { useDeferredValue } from 'react'
import { LineageView } from '../features/lineage/lineage-view.tsx'
import { ProvenancePane } from '../features/provenance/provenance-pane.tsx'
import { StrataView } from '../features/strata/strata-view.tsx'
import { useRoutePart, useShownChoice } from '../routes.ts'
import { Segmented } from '../ui/controls/segmented.tsx'
import { later } from '../ui/states/later.tsx'
import styles from '../ui/styles/view-bar.module.css'

/** The graph needs a large library, for which the strata do not wait. */
const LineageGraph = later(() => import('../features/graph/lineage-graph.tsx').then(({ LineageGraph }) => LineageGraph))
const WholeGraph = later(() => import('../features/graph/whole-graph.tsx').then(({ WholeGraph }) => WholeGraph))

const FORM_NAMES = ['drawing', 'graph', 'tree'] as const
const FORMS = [
  { value: 'drawing', label: 'drawing', hint: 'All messages and summaries to scale, in the order of time' },
  { value: 'graph', label: 'graph', hint: 'Every summary, what each was made from, and what was made from it' },
  { value: 'tree', label: 'tree', hint: 'Summaries line by line, with their texts and the sources of each sentence' },
] as const

type Props = { readonly conversationId: number }

/** How a conversation was summarised, in three forms over one selection. */
export function Layers({ conversationId }: Props) {
  const [form, setForm] = useShownChoice('layers.form', FORM_NAMES)
  const forms = <Segmented label="How the layers are shown" options={FORMS} value={form} onChange={setForm} />
  if (form === 'drawing')
    return (
      <StrataView conversationId={conversationId} forms={forms}>
        <SelectedLineage conversationId={conversationId} />
      </StrataView>
    )
  if (form === 'graph') return <WholeGraph conversationId={conversationId} forms={forms} />
  return (
    <div className={styles.view}>
      <div className={styles.bar}>{forms}</div>
      <LineageView
        conversationId={conversationId}
        renderText={(text) => <ProvenancePane key={text.summaryId} {...text} />}
      />
    </div>
  )
}

/** Follows the selection once its detail is there: the graph takes longer to draw. */
function SelectedLineage({ conversationId }: Props) {
  const selection = useDeferredValue(useRoutePart('selection'))
  return <LineageGraph conversationId={conversationId} focusId={selection} />
}
