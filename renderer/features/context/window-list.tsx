import { useRoute } from '../../routes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ItemTable } from './item-table.tsx'
import type { SeenWindow } from './use-window.ts'
import styles from './window-list.module.css'

type Props = {
  readonly window: SeenWindow
  /** The answer to what was just changed is still on its way. */
  readonly isStale: boolean
}

/** The window item by item. */
export function WindowList({ window, isStale }: Props) {
  const { selection } = useRoute()
  if (window.items.length === 0)
    return (
      <EmptyState title={window.atMs === undefined ? 'The window is empty' : 'The window was empty'}>
        {window.atMs === undefined
          ? 'Nothing of this conversation stands in the context yet, so the model would see nothing of it.'
          : 'Nothing of this conversation stood in the context at that moment.'}
      </EmptyState>
    )
  return (
    <div className={styles.list} aria-busy={isStale}>
      <ItemTable window={window} selection={selection} />
    </div>
  )
}
