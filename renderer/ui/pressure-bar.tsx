import { formatPressure } from './format.ts'
import styles from './pressure-bar.module.css'
import { pressureState } from './pressure-state.ts'

type Props = {
  /** Tokens of the assembled window ÷ budget; null while nobody knows. */
  readonly pressure: number | null
  /** Active tokens ÷ budget, which the thresholds go by; null while nobody knows. */
  readonly activeShare: number | null
  readonly softThreshold: number
  readonly hardThreshold: number
}

/** How full the window is; the tick is the soft threshold. */
export function PressureBar({ pressure, activeShare, softThreshold, hardThreshold }: Props) {
  if (pressure === null) {
    return (
      <span
        className={styles.track}
        data-state="unknown"
        role="img"
        aria-label="how full the window is, is not known"
      />
    )
  }
  const state = pressureState(activeShare ?? pressure, softThreshold, hardThreshold)
  return (
    <span className={styles.track} role="img" aria-label={`${formatPressure(pressure)} of the window`}>
      <span className={styles.bar} data-state={state} style={{ width: `${Math.min(1, pressure) * 100}%` }} />
      {softThreshold < 1 && <span className={styles.tick} style={{ left: `${softThreshold * 100}%` }} />}
    </span>
  )
}
