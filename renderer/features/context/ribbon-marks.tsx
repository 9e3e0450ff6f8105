import type { AssembledContext } from '../../../core/contract/context.ts'
import { formatCompact } from '../../ui/format.ts'
import styles from './token-ribbon.module.css'

type Props = {
  readonly window: AssembledContext
  /** Tokens at the right edge. */
  readonly scale: number
  /** Of the band that they stand in. */
  readonly heightPx: number
}

/** Closer to the hard mark than this, the label of the soft mark stands to its left. */
const LABEL_ROOM = 0.16
const OVERHANG_PX = 4

/** The soft and the hard threshold, over the band and named below it. */
export function RibbonMarks({ window, scale, heightPx }: Props) {
  const soft = window.budget * window.softThreshold
  const hard = window.budget * window.hardThreshold
  const at = (tokens: number) => `${(tokens / scale) * 100}%`
  const height = heightPx + 2 * OVERHANG_PX
  return (
    <>
      <span className={styles.soft} style={{ left: at(soft), height }} />
      <span className={styles.hard} style={{ left: at(hard), height }} />
      <div className={styles.labels} aria-hidden="true">
        <span>0</span>
        <span className={styles.softLabel} data-left={(hard - soft) / scale < LABEL_ROOM} style={{ left: at(soft) }}>
          τ soft {formatCompact(soft)}
        </span>
        <span className={styles.hardLabel} style={{ left: at(hard) }}>
          τ hard {formatCompact(hard)}
        </span>
      </div>
    </>
  )
}
