import type { ReactNode } from 'react'
import styles from './dim.module.css'

/** Less important text. */
export function Dim({ children, title }: { readonly children: ReactNode; readonly title?: string }) {
  return (
    <span className={styles.dim} title={title}>
      {children}
    </span>
  )
}
