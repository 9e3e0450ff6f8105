import { useState } from 'react'
import { navigate, useRoute } from '../../routes.ts'
import type { Category } from './category.ts'
import { Legend } from './legend.tsx'
import { TokenRibbon } from './token-ribbon.tsx'
import type { SeenWindow } from './use-window.ts'
import { WindowFigures } from './window-figures.tsx'
import styles from './window-head.module.css'

type Props = {
  readonly window: SeenWindow
  /** The answer to what was just changed is still on its way. */
  readonly isStale: boolean
}

/** The window in figures and to scale. */
export function WindowHead({ window, isStale }: Props) {
  const { selection } = useRoute()
  const [category, setCategory] = useState<Category | null>(null)
  return (
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
  )
}
