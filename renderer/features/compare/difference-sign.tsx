import type { Difference } from '../../../core/contract/comparison.ts'
import { depthColor } from '../../ui/depth-color.ts'
import styles from './difference-table.module.css'

/** What a difference is, in words. */
export function kindText(kind: Difference['kind'], what: Difference['what']): string {
  if (kind === 'differently') return 'differently'
  const side = kind === 'only_a' ? 'A' : 'B'
  return { summary: `only in ${side}`, window: `in window of ${side}`, messages: `messages of ${side}` }[what]
}

/** The sign of a difference, as its bars are drawn: hatched, or with a dashed edge. */
export function DifferenceSign({ difference: { kind, a, b } }: { readonly difference: Difference }) {
  const depth = a?.depth ?? b?.depth ?? 0
  return (
    <span
      className={styles.sign}
      data-kind={kind}
      style={{ color: depth < 0 ? 'var(--control)' : depthColor(depth) }}
      aria-hidden="true"
    />
  )
}

/** What the colours and hatchings of the picture mean. */
export function CompareLegend() {
  return (
    <div className={styles.legend}>
      <span>
        <i className={styles.sign} data-kind="same" /> same
      </span>
      <span>
        <i className={styles.sign} data-kind="differently" style={{ color: 'var(--d1)' }} /> different
      </span>
      <span>
        <i className={styles.sign} data-kind="only_a" style={{ color: 'var(--leaf)' }} /> on one side only
      </span>
      <span>
        <i className={styles.sign} data-kind="more" /> keeps more details
      </span>
    </div>
  )
}
