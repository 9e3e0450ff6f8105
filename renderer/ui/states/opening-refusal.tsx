import { toErrorInfo } from '#renderer/error-text.ts'
import { Button } from '../controls/button.tsx'
import styles from './opening-refusal.module.css'
import type { Opening } from './use-opening.ts'

/** Why a conversation cannot be opened; of a copy with changes, the two ways on. */
export function OpeningRefusal({ opening: { row, error, openAsItIs, openAsStored, forget } }: { opening: Opening }) {
  if (row === null || !error) return null
  const { code, message } = toErrorInfo(error)
  return (
    <div className={styles.refusal} role="alert">
      <span className={styles.why}>
        {code === 'conflict' ? 'Its copy here has changes that were not pushed.' : message}
      </span>
      {code === 'conflict' && (
        <>
          <Button onClick={openAsItIs}>Open it with its changes</Button>
          <Button onClick={() => openAsStored(row)}>Open it as it is stored</Button>
        </>
      )}
      <Button look="quiet" onClick={forget}>
        Close
      </Button>
    </div>
  )
}
