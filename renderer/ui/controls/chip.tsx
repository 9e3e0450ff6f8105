import type { ReactNode } from 'react'
import styles from './chip.module.css'
import { classNames } from './class-names.ts'

export type Tone =
  | 'neutral'
  | 'lit'
  | 'fine'
  | 'warning'
  | 'error'
  | 'leaf'
  | 'd1'
  | 'd2'
  | 'd3'
  | 'user'
  | 'assistant'
  | 'tool'
  | 'system'

type Props = {
  readonly tone?: Tone
  readonly mono?: boolean
  readonly title?: string | undefined
  readonly onClick?: () => void
  readonly children: ReactNode
}

/** A small fact in an outline: a state, a kind, a count. With `onClick` it is a button. */
export function Chip({ tone = 'neutral', mono = false, title, onClick, children }: Props) {
  const className = classNames(styles.chip, styles[tone], mono && styles.mono)
  if (onClick === undefined)
    return (
      <span className={className} title={title}>
        {children}
      </span>
    )
  return (
    <button type="button" className={classNames(className, styles.button)} title={title} onClick={onClick}>
      {children}
    </button>
  )
}
