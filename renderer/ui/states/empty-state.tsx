import type { ReactNode } from 'react'
import styles from '../styles/state.module.css'

type Props = {
  readonly title: string
  /** Says why there is nothing, and what would change it. */
  readonly children?: ReactNode
  readonly actions?: ReactNode
  /** Ways of equal worth stand below each other; one or two actions beside each other. */
  readonly isChoice?: boolean
}

/** Shown when there is nothing, which is not an error. */
export function EmptyState({ title, children, actions, isChoice = false }: Props) {
  return (
    <div className={styles.state}>
      <h2 className={styles.title}>{title}</h2>
      {children !== undefined && <div className="dim">{children}</div>}
      {actions !== undefined && <div className={isChoice ? styles.choice : styles.actions}>{actions}</div>}
    </div>
  )
}
