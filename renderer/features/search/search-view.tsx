import type { ReactNode } from 'react'
import { navigate, type SearchKind, useRoutePart } from '#renderer/routes.ts'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { AskView } from './ask-view.tsx'
import { FindView } from './find-view.tsx'
import styles from './search-view.module.css'

type Props = {
  readonly conversationId: number | null
  /** Renders the view that follows what was said, with the switch between the kinds. */
  readonly renderTrace: (kinds: ReactNode) => ReactNode
  /** Renders the view that asks what an agent would be asked. */
  readonly renderProbe: (kinds: ReactNode) => ReactNode
}

/** Searches for texts, asks a question, follows what was said up to the window, or probes it. */
export function SearchView({ conversationId, renderTrace, renderProbe }: Props) {
  const searchKind = useRoutePart('searchKind')
  const kinds = <KindSwitch kind={searchKind} />
  if (searchKind === 'trace') return renderTrace(kinds)
  if (searchKind === 'probe') return renderProbe(kinds)
  return (
    <section className={styles.view} aria-label="Search">
      {searchKind === 'ask' ? (
        <AskView conversationId={conversationId} kinds={kinds} />
      ) : (
        <FindView conversationId={conversationId} kinds={kinds} />
      )}
    </section>
  )
}

const KINDS = [
  { value: 'find', label: 'Find', hint: 'Every text that has these words' },
  { value: 'ask', label: 'Ask', hint: 'A question, answered from the best passages' },
  { value: 'trace', label: 'Trace', hint: 'What became of it on its way to the window' },
  { value: 'probe', label: 'Probe', hint: 'Would the agent have remembered?' },
] as const

/** Chooses between finding texts, asking a question, tracing a fact and probing the memory. */
function KindSwitch({ kind }: { readonly kind: SearchKind }) {
  return (
    <Segmented
      label="Find, ask, trace or probe"
      options={KINDS}
      value={kind}
      onChange={(searchKind) => navigate({ searchKind, tracedId: null }, 'replace')}
    />
  )
}
