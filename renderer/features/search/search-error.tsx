import { errorText, toErrorInfo } from '../../error-text.ts'
import { Button } from '../../ui/button.tsx'
import styles from './search-error.module.css'

type Props = { readonly error: unknown; readonly onRetry: () => void }

/** Why there is no answer, and what to do: above the hits of the last good one. */
export function SearchError({ error, onRetry }: Props) {
  const info = toErrorInfo(error)
  // A pattern that is half typed is no accident: the core's sentence says what is missing.
  const isTyped = info.code === 'invalid_argument'
  const { title, next } = errorText(info.code)
  return (
    <div className={styles.error} role="alert">
      <p>
        {!isTyped && <strong>{title}. </strong>}
        {info.message}
      </p>
      {!isTyped && <p className={styles.next}>{next}</p>}
      {!isTyped && (
        <Button look="quiet" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
