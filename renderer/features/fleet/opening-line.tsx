import { toErrorInfo } from '../../error-text.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import styles from './opening-line.module.css'
import type { Opening } from './use-opening.ts'

/** How far the conversation is that was chosen, or why it cannot be opened. */
export function OpeningLine({ opening: { row, messages, error, openAsItIs, forget } }: { readonly opening: Opening }) {
  if (row === null) return null
  if (error) {
    const { code, message } = toErrorInfo(error)
    return (
      <footer className={styles.line} role="alert">
        <span className={styles.error}>{message}</span>
        {code === 'conflict' && <Button onClick={openAsItIs}>Open it with its changes</Button>}
        <Button look="quiet" onClick={forget}>
          Close
        </Button>
      </footer>
    )
  }
  const name = `Copying ${row.label || `conversation ${row.conversationId}`}`
  return (
    <footer className={styles.line} role="status">
      <span className={styles.name}>{name}</span>
      <span className={styles.bar}>
        <ProgressBar label={name} done={Math.min(messages, row.messages)} total={row.messages} />
      </span>
      <span className={styles.count}>
        {formatCount(messages)} of {plural(row.messages, 'message')}
      </span>
    </footer>
  )
}
