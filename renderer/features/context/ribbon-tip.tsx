import type { AssembledContext } from '../../../core/contract/context.ts'
import { formatPercent, formatTokens, plural } from '../../ui/format.ts'
import { categoryLabel, categoryOf } from './category.ts'
import type { Segment } from './ribbon.ts'
import styles from './ribbon-tip.module.css'

type Props = {
  readonly segment: Segment
  readonly window: AssembledContext
  readonly widthPx: number
}

const TIP_WIDTH = 300

/** What the pointer is on, beside the ribbon. */
export function RibbonTip({ segment, window, widthPx }: Props) {
  const item = window.items[segment.main]
  if (item === undefined) return null
  const left = Math.max(0, Math.min((segment.x0 + segment.x1) / 2 - TIP_WIDTH / 2, widthPx - TIP_WIDTH))
  const others = segment.items - 1
  return (
    <div className={styles.tip} style={{ left, width: TIP_WIDTH }}>
      <p className={styles.name}>
        <span className={styles.id}>{item.id}</span>
        {categoryLabel(categoryOf(item))} · {formatTokens(item.tokens)}
        {window.tokens > 0 && ` · ${formatPercent(item.tokens / window.tokens)}`}
      </p>
      <p className={styles.excerpt}>{item.excerpt}</p>
      {others > 0 && (
        <p className={styles.dim}>
          and {plural(others, 'smaller item')} beside it, {formatTokens(segment.tokens - item.tokens)} together
        </p>
      )}
    </div>
  )
}
