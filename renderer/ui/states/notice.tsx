import type { ReactNode } from 'react'
import styles from './notice.module.css'

type Props = {
  readonly title: string
  readonly children: ReactNode
  /** A button with the next step. */
  readonly action?: ReactNode
}

/** Important information that is not an error. */
export function Notice({ title, children, action }: Props) {
  return (
    <div className={styles.notice}>
      <p className={styles.text}>
        <strong>{title}</strong> {children}
      </p>
      {action}
    </div>
  )
}
