import { type SearchKind, useRoutePart } from '../routes.ts'
import { BEYOND_THE_END, useMarkedMessages, useMessageRange } from '../ui/data/message-range.ts'
import { useIsEverywhere } from '../ui/parts/conversation-scope.tsx'
import { RangeChip } from '../ui/parts/range-chip.tsx'
import type { View } from '../views.ts'
import styles from './range-line.module.css'

/** What a view shows of marked messages. Strata say it in their toolbar. */
const EFFECTS: Partial<Readonly<Record<View, string>>> = {
  messages: 'Only these messages are shown.',
  start: 'This view shows the whole conversation.',
  window: 'This view shows the whole window.',
  compact: 'This view shows the whole conversation.',
}

const SEARCH_EFFECTS: Readonly<Record<SearchKind, string>> = {
  find: 'Only these messages, and the summaries that cover them, are searched.',
  ask: 'Only these messages, and the summaries that cover them, are read.',
  trace: 'Words are looked for in these messages, and in the summaries that cover them.',
  probe: 'Questions are made of these messages only.',
}

const TRACED_EVERYWHERE = 'Words are looked for in every conversation.'

/** The marked messages, above every view of the conversation, with what the view makes of them. */
export function RangeLine({ conversationId }: { readonly conversationId: number }) {
  const view = useRoutePart('view')
  const searchKind = useRoutePart('searchKind')
  const [range] = useMessageRange()
  const { areMissing } = useMarkedMessages(conversationId)
  const [isEverywhere] = useIsEverywhere()
  const inSearch = searchKind === 'trace' && isEverywhere ? TRACED_EVERYWHERE : SEARCH_EFFECTS[searchKind]
  const effect = view === 'find' ? inSearch : EFFECTS[view]
  if (range === null || effect === undefined) return null
  return (
    <div className={styles.line}>
      <RangeChip conversationId={conversationId} />
      {areMissing ? (
        <span className={styles.missing} role="status">
          {BEYOND_THE_END}
        </span>
      ) : (
        <span className={styles.effect}>{effect}</span>
      )}
    </div>
  )
}
