import type { ReactNode } from 'react'
import styles from './view-header.module.css'

type Props = {
  readonly title: ReactNode
  /** A line with figures. */
  readonly children: ReactNode
  readonly actions?: ReactNode
}

/** The heading of a view: one sentence, figures, and actions. */
export function ViewHeader({ title, children, actions }: Props) {
  return (
    <header className={styles.header}>
      <div className={styles.words}>
        <h1 className={styles.title}>{title}</h1>
        <p className="dim">{children}</p>
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  )
}
