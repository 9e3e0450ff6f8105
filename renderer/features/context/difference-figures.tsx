import type { ContextDifference } from '../../../core/contract/time-travel.ts'
import { formatCount, formatPercent, formatPressure, plural } from '../../ui/format.ts'
import { formatShort } from '../../ui/format-time.ts'
import styles from './difference-figures.module.css'
import { sumTokens } from './replacements.ts'

type Props = { readonly difference: ContextDifference; readonly isStale: boolean }

/** The window before and after, in tokens. */
export function DifferenceFigures({ difference, isStale }: Props) {
  const { before, after, left, entered, stayed } = difference
  const change = after.activeTokens - before.activeTokens
  return (
    <section className={styles.figures} aria-label="Totals" data-stale={isStale || undefined}>
      <p className={styles.line}>
        <span>
          <strong className={styles.tokens}>
            {formatCount(before.activeTokens)} → {formatCount(after.activeTokens)}
          </strong>{' '}
          <span className={styles.dim}>active tokens</span>
        </span>
        <span className={styles.change} data-sign={Math.sign(change)}>
          {change > 0 ? '+' : change < 0 ? '−' : '±'}
          {formatCount(Math.abs(change))}
          {before.activeTokens > 0 && ` (${formatPercent(Math.abs(change) / before.activeTokens)})`}
        </span>
      </p>
      <p className={styles.dim}>
        {plural(entered.length, 'item')} came in (+{formatCount(sumTokens(entered))}), {plural(left.length, 'item')}{' '}
        left (−{formatCount(sumTokens(left))}), {formatCount(stayed)} stayed · pressure{' '}
        {formatPressure(before.pressure)} → {formatPressure(after.pressure)}
        {before.atMs !== null && after.atMs !== null && (
          <>
            {' '}
            · {formatShort(before.atMs)} → {formatShort(after.atMs)}
          </>
        )}
      </p>
      {(before.reconstructed || after.reconstructed) && (
        <p className={styles.dim} role="note">
          Reconstructed: the file does not record every change of its window, so creation times were used.
        </p>
      )}
    </section>
  )
}
