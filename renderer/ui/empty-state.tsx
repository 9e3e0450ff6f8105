import type { ReactNode } from 'react'
import styles from './state.module.css'

type Props = {
  readonly title: string
  /** Says why there is nothing, and what would change it. */
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

/** Shown when there is nothing, which is not an error. */
export function EmptyState({ title, children, actions }: Props) {
  return (
    <div className={styles.state}>
      <h2 className={styles.title}>{title}</h2>
      {children !== undefined && <div className={styles.text}>{children}</div>}
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </div>
  )
}
