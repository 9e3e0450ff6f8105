import type { ReactNode } from 'react'
import styles from './facts.module.css'

/** A list of names on the left and values on the right. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>
}

type FactProps = {
  readonly name: string
  /** What the name means, on hover. */
  readonly hint?: string
  /** Null leaves the fact out. */
  readonly children: ReactNode
}

/** One line of `Facts`. */
export function Fact({ name, hint, children }: FactProps) {
  if (children === null) return null
  return (
    <>
      <dt title={hint}>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
