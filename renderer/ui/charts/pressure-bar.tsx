import { formatPressure } from '../texts/format.ts'
import styles from './pressure-bar.module.css'

type Props = {
  /** Tokens of the assembled window ÷ budget, or null when not known. */
  readonly pressure: number | null
  /** Active tokens ÷ budget, which decides about the thresholds, or null when not known. */
  readonly activeShare: number | null
  readonly softThreshold: number
  readonly hardThreshold: number
}

/** How full the window is. The tick marks the soft threshold. */
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

type PressureState = 'calm' | 'soft' | 'hard'

/** Returns which threshold the share of active tokens in the budget has reached. */
export function pressureState(activeShare: number, softThreshold: number, hardThreshold: number): PressureState {
  if (activeShare >= hardThreshold) return 'hard'
  return activeShare >= softThreshold ? 'soft' : 'calm'
}
