import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import styles from './map-table.module.css'

/** A cell of a row of runs or results. */
export function Cell({ isDim = false, children }: { readonly isDim?: boolean; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows are no table rows, because only those in sight exist
    <span role="cell" className={classNames(styles.cell, isDim && styles.dim)}>
      {children}
    </span>
  )
}
