import { formatPercent } from '../texts/format.ts'
import styles from './progress-bar.module.css'

type Props = {
  /** Describes the work for a screen reader. */
  readonly label: string
  readonly done: number
  /** 0 when the total is not known. The bar then only moves. */
  readonly total: number
}

/** The progress of some work. */
export function ProgressBar({ label, done, total }: Props) {
  if (total <= 0) return <div className={styles.track} role="progressbar" aria-label={label} data-unknown="" />
  const share = Math.min(1, done / total)
  return (
    <div
      className={styles.track}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={formatPercent(share)}
    >
      <div className={styles.bar} style={{ width: `${share * 100}%` }} />
    </div>
  )
}
