import type { ReactNode } from 'react'
import styles from './answer.module.css'

type Props = {
  readonly question: string
  /** What has to be known to read the answer. */
  readonly about: ReactNode
  readonly children: ReactNode
  /** The way on. */
  readonly action: ReactNode
}

/** A question, its answer, and where the rest of the answer is. */
export function Answer({ question, about, children, action }: Props) {
  return (
    <section className={styles.answer} aria-label={question}>
      <div>
        <h2 className={styles.question}>{question}</h2>
        <p className="dim">{about}</p>
      </div>
      <div className={styles.said}>{children}</div>
      <div className={styles.action}>{action}</div>
    </section>
  )
}

type FigureProps = {
  readonly figure: ReactNode
  readonly tone?: 'fine' | 'warning' | 'error'
  /** The rest of the sentence. */
  readonly children?: ReactNode
}

/** The answer as a sentence that begins with its figure. */
export function Figure({ figure, tone, children }: FigureProps) {
  return (
    <p className={styles.sentence}>
      <strong className={styles.figure} data-tone={tone}>
        {figure}
      </strong>
      {children !== undefined && <span className="dim"> {children}</span>}
    </p>
  )
}
