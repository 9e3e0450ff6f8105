import { useState } from 'react'
import type { AssembledContext } from '../../../core/contract/context.ts'
import { navigate, useRoutePart } from '../../routes.ts'
import { formatCompact, formatTokens, plural } from '../../ui/format.ts'
import { type Category, categoryColor, sumsByCategory } from './category.ts'
import styles from './context-view.module.css'
import { TokenRibbon } from './token-ribbon.tsx'
import type { SeenWindow } from './use-window.ts'
import { WindowFigures } from './window-figures.tsx'

type Props = {
  readonly window: SeenWindow
  /** True while the answer to the last change is not there yet. */
  readonly isStale: boolean
}

/** The window in figures and to scale. */
export function WindowHead({ window, isStale }: Props) {
  const selection = useRoutePart('selection')
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

type LegendProps = {
  readonly window: AssembledContext
  /** Called when the pointer enters a category, and with null when it leaves. */
  readonly onPoint: (category: Category | null) => void
}

/** The meaning of the colours in the ribbon, with the tokens of each. */
function Legend({ window, onPoint }: LegendProps) {
  const out = window.items.filter((item) => !item.included)
  const outTokens = out.reduce((sum, item) => sum + item.tokens, 0)
  return (
    <ul className={styles.legend} aria-label="Tokens by kind">
      {sumsByCategory(window.items).map(({ category, label, tokens, items }) => (
        <li
          key={category}
          title={`${formatTokens(tokens)} in ${plural(items, 'item')}`}
          onPointerEnter={() => onPoint(category)}
          onPointerLeave={() => onPoint(null)}
        >
          <span className={styles.swatch} style={{ background: categoryColor(category) }} />
          {label} <b>{formatCompact(tokens)}</b>
        </li>
      ))}
      {out.length > 0 && (
        <li className={styles.out} title={`${formatTokens(outTokens)} in ${plural(out.length, 'item')}`}>
          <span className={styles.outline} />
          left out <b>{formatCompact(outTokens)}</b>
        </li>
      )}
    </ul>
  )
}
