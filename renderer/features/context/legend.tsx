import type { AssembledContext } from '../../../core/contract/context.ts'
import { formatCompact, formatTokens, plural } from '../../ui/format.ts'
import { type Category, categoryColor, sumsByCategory } from './category.ts'
import styles from './legend.module.css'

type Props = {
  readonly window: AssembledContext
  /** The pointer is on a category, or left it. */
  readonly onPoint: (category: Category | null) => void
}

/** What the colours of the ribbon mean, and how many tokens each takes. */
export function Legend({ window, onPoint }: Props) {
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
