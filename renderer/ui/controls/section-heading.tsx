import type { ReactNode } from 'react'
import styles from './section-heading.module.css'

type Props = {
  readonly children: ReactNode
  /** Content at the right end of the line. */
  readonly aside?: ReactNode
}

/** A heading above a group. */
export function SectionHeading({ children, aside }: Props) {
  return (
    <div className={styles.line}>
      <h2 className={styles.heading}>{children}</h2>
      {aside !== undefined && <div className="small">{aside}</div>}
    </div>
  )
}
