import { classNames } from '../controls/class-names.ts'
import styles from './loading.module.css'

type Props = {
  /** What is being fetched: `conversations`. */
  readonly what: string
  readonly lines?: number
  /** A text that is shown at once. Without it, a placeholder of a whole view gets one when loading takes long. */
  readonly doing?: string
}

/** With fewer lines it is a placeholder for a part of a view. */
const FILLS_A_VIEW = 7
const WIDTHS = ['62%', '88%', '74%', '81%', '55%', '92%', '68%']

/** Lines in the place of text. They appear after 150 ms, because shorter loading needs no announcement. */
export function Loading({ what, lines = 5, doing }: Props) {
  return (
    <div
      className={classNames(styles.loading, doing === undefined && styles.late)}
      role="status"
      aria-label={doing ?? `Loading ${what}`}
    >
      {WIDTHS.concat(WIDTHS)
        .slice(0, lines)
        .map((width, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change places
          <div key={line} className={styles.line} style={{ width }} />
        ))}
      {(doing !== undefined || lines >= FILLS_A_VIEW) && (
        <p className={classNames(styles.doing, doing === undefined && styles.later)}>{doing ?? `Loading ${what}…`}</p>
      )}
    </div>
  )
}
