import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { AssembledContext } from '../../../core/contract/context.ts'
import { api } from '../../api.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import styles from './context-view.module.css'
import { PayloadView } from './payload-view.tsx'
import { AS_CONFIGURED, assembleInput } from './what-if.ts'
import { WhatIfBar } from './what-if-bar.tsx'
import { WindowList } from './window-list.tsx'

/** Long enough for a slider to pass by, short enough to be an answer at once. */
const SETTLE_MS = 120

/** What the model sees next turn: to scale, item by item, and as it is sent. */
export function ContextView({ conversationId }: { readonly conversationId: number }) {
  const [whatIf, setWhatIf] = useState(AS_CONFIGURED)
  const [form, setForm] = useState<'list' | 'payload'>('list')
  const settled = useDebounced(whatIf, SETTLE_MS)
  const input = useMemo(() => assembleInput(conversationId, settled), [conversationId, settled])
  const assembled = useQuery(
    api.context.assemble.queryOptions({
      input,
      // Another conversation's window must never stand under this one's name.
      placeholderData: (previous: AssembledContext | undefined) =>
        previous?.conversationId === conversationId ? previous : undefined,
    }),
  )
  const isStale = assembled.isPlaceholderData || settled !== whatIf
  return (
    <section className={styles.view} aria-label="Context window">
      <WhatIfBar whatIf={whatIf} onChange={setWhatIf} window={assembled.data} form={form} onForm={setForm} />
      {assembled.isError && assembled.data === undefined ? (
        <ErrorState error={assembled.error} onRetry={() => void assembled.refetch()} />
      ) : assembled.data === undefined ? (
        <Loading what="the context window" lines={9} />
      ) : form === 'list' ? (
        <WindowList window={assembled.data} isStale={isStale} />
      ) : (
        <PayloadView input={input} />
      )}
    </section>
  )
}
