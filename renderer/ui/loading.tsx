import styles from './loading.module.css'

type Props = {
  /** What is being fetched, for a screen reader: `conversations`. */
  readonly what: string
  readonly lines?: number
}

const WIDTHS = ['62%', '88%', '74%', '81%', '55%', '92%', '68%']

/** Lines where text will be. They appear after 150 ms only: what is quicker than that needs no announcement. */
export function Loading({ what, lines = 5 }: Props) {
  return (
    <div className={styles.loading} role="status" aria-label={`Loading ${what}`}>
      {WIDTHS.concat(WIDTHS)
        .slice(0, lines)
        .map((width, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change places
          <div key={line} className={styles.line} style={{ width }} />
        ))}
    </div>
  )
}
