import { errorReport, errorText, toErrorInfo } from '../error-text.ts'
import { Button } from './button.tsx'
import styles from './error-line.module.css'

type Props = {
  readonly error: unknown
  readonly onRetry?: () => void
}

/** An error beside content that is still valid, in one line. Its title has the details. */
export function ErrorLine({ error, onRetry }: Props) {
  const info = toErrorInfo(error)
  return (
    <p className={styles.line} role="alert" title={`${errorText(info.code).next}\n\n${errorReport(info)}`}>
      <span className={styles.message}>{info.message}</span>
      {onRetry && (
        <Button look="quiet" onClick={onRetry}>
          Try again
        </Button>
      )}
    </p>
  )
}
