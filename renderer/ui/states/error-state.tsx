import type { ReactNode } from 'react'
import { errorReport, errorText, toErrorInfo } from '#renderer/error-text.ts'
import { Button } from '../controls/button.tsx'
import { classNames } from '../controls/class-names.ts'
import { useCopy } from '../controls/use-copy.ts'
import styles from '../styles/state.module.css'

type Props = {
  readonly error: unknown
  readonly onRetry?: () => void
  /** Further actions. */
  readonly actions?: ReactNode
  /** The next step, where it is another one here than elsewhere. */
  readonly next?: string | undefined
}

/** An error with its subject and the next step. Details can be unfolded and copied. */
export function ErrorState({ error, onRetry, actions, next }: Props) {
  const info = toErrorInfo(error)
  const text = errorText(info.code)
  const [copied, copy] = useCopy()
  return (
    <div className={styles.state} role="alert">
      <h2 className={classNames(styles.title, styles.error)}>{text.title}</h2>
      <p className={styles.message}>{info.message}</p>
      <p className="dim">{next ?? text.next}</p>
      <div className={styles.actions}>
        {onRetry && <Button onClick={onRetry}>Try again</Button>}
        {actions}
      </div>
      <details className={styles.details}>
        <summary>Details</summary>
        <pre>{errorReport(info)}</pre>
        <Button look="quiet" onClick={() => copy(errorReport(info))}>
          {copied === 'copied' ? 'Copied' : 'Copy details'}
        </Button>
      </details>
    </div>
  )
}

type LineProps = {
  readonly error: unknown
  readonly onRetry?: () => void
}

/** An error beside content that is still valid, in one line. Its title has the details. */
export function ErrorLine({ error, onRetry }: LineProps) {
  const info = toErrorInfo(error)
  return (
    <p className={styles.line} role="alert" title={`${errorText(info.code).next}\n\n${errorReport(info)}`}>
      <span className={styles.lineMessage}>{info.message}</span>
      {onRetry && (
        <Button look="quiet" onClick={onRetry}>
          Try again
        </Button>
      )}
    </p>
  )
}
