import { reconnect, useConnection } from '../api.ts'
import { Button } from '../ui/button.tsx'
import styles from './connection-banner.module.css'

/** Says that the core cannot be reached, over everything else: what is below may be out of date. */
export function ConnectionBanner() {
  if (useConnection() !== 'lost') return null
  return (
    <div className={styles.banner} role="alert">
      <span className={styles.dot} aria-hidden="true" />
      <span>
        <strong>Connection lost.</strong> What is shown stays as it was. Trying again…
      </span>
      <Button onClick={reconnect}>Try now</Button>
    </div>
  )
}
