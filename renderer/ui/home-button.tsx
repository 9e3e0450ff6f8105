import { host } from '../host.ts'
import { Mark } from './mark.tsx'
import styles from './page-bar.module.css'

/** Leads from a page to the welcome page. */
export function HomeButton() {
  return (
    <button
      type="button"
      className={styles.home}
      title="All memories on this machine"
      onClick={() => host.openFile(null)}
    >
      <Mark />
      LCM Inspector
    </button>
  )
}
