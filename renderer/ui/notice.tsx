import type { ReactNode } from 'react'
import styles from './notice.module.css'

/** Something that must be known here, and is not an error. */
export function Notice({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={styles.notice}>
      <strong>{title}</strong> {children}
    </div>
  )
}
