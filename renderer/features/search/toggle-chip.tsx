import type { ReactNode } from 'react'
import styles from './toggle-chip.module.css'

type Props = {
  /** CSS colour of its swatch. */
  readonly color: string
  readonly isOn: boolean
  readonly onToggle: () => void
  readonly children: ReactNode
}

/** One of several that may be chosen together. */
export function ToggleChip({ color, isOn, onToggle, children }: Props) {
  return (
    <button type="button" className={styles.chip} aria-pressed={isOn} onClick={onToggle}>
      <span className={styles.swatch} style={{ background: color }} />
      {children}
    </button>
  )
}
