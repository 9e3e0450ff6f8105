import { useState } from 'react'
import type { AssembledContext } from '../../../core/contract/context.ts'
import { navigate, useRoute } from '../../routes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import type { Category } from './category.ts'
import { ItemTable } from './item-table.tsx'
import { Legend } from './legend.tsx'
import { TokenRibbon } from './token-ribbon.tsx'
import { WindowFigures } from './window-figures.tsx'
import styles from './window-list.module.css'

type Props = {
  readonly window: AssembledContext
  /** The answer to what was just changed is still on its way. */
  readonly isStale: boolean
}

/** The window in figures, to scale and item by item. */
export function WindowList({ window, isStale }: Props) {
  const { selection } = useRoute()
  const [category, setCategory] = useState<Category | null>(null)
  if (window.items.length === 0)
    return (
      <EmptyState title="The window is empty">
        Nothing of this conversation stands in the context yet, so the model would see nothing of it.
      </EmptyState>
    )
  return (
    <div className={styles.list} aria-busy={isStale}>
      <header className={styles.head} data-stale={isStale}>
        <WindowFigures window={window} />
        <TokenRibbon
          window={window}
          selection={selection}
          category={category}
          onSelect={(id) => navigate({ selection: id }, 'push')}
        />
        <Legend window={window} onPoint={setCategory} />
      </header>
      <ItemTable window={window} selection={selection} />
    </div>
  )
}
