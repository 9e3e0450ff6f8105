import type { ReactNode } from 'react'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import styles from './disclosure.module.css'

type Props = {
  readonly isOpen: boolean
  readonly onToggle: () => void
  /** One line that is always shown. */
  readonly head: ReactNode
  readonly children?: ReactNode
}

/** One line that unfolds. */
export function Disclosure({ isOpen, onToggle, head, children }: Props) {
  return (
    <div>
      <button type="button" className={styles.head} aria-expanded={isOpen} onClick={onToggle}>
        <span className={styles.sign} data-open={isOpen}>
          <Icon name="chevronRight" />
        </span>
        {head}
      </button>
      {isOpen && <div className={styles.body}>{children}</div>}
    </div>
  )
}
