import type { ReactNode } from 'react'
import styles from './view-header.module.css'

type Props = {
  readonly title: ReactNode
  /** One line of figures. */
  readonly children: ReactNode
  readonly actions?: ReactNode
}

/** What a view has to say in one sentence, its figures, and what can be done. */
export function ViewHeader({ title, children, actions }: Props) {
  return (
    <header className={styles.header}>
      <div className={styles.words}>
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.figures}>{children}</p>
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  )
}
