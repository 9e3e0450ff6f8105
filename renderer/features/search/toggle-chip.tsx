import type { ReactNode } from 'react'
import styles from './search-view.module.css'

type Props = {
  /** CSS colour of its swatch, if it has one. */
  readonly color?: string
  readonly title?: string
  readonly isOn: boolean
  readonly onToggle: () => void
  readonly children: ReactNode
}

/** One of several options that can be chosen together. */
export function ToggleChip({ color, title, isOn, onToggle, children }: Props) {
  return (
    <button
      type="button"
      className={styles.chip}
      data-bare={color === undefined || undefined}
      aria-pressed={isOn}
      title={title}
      onClick={onToggle}
    >
      {color !== undefined && <span className={styles.swatch} style={{ background: color }} />}
      {children}
    </button>
  )
}
