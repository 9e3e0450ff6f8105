import { host } from '#renderer/host.ts'
import styles from '../styles/page-bar.module.css'

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

/** The logo of the app: strata. */
export function Mark({ size = 16 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="var(--lit)" aria-hidden="true" focusable="false">
      <rect x="6" y="3" width="4.6" height="2.1" rx="1" />
      <rect x="3.4" y="6.9" width="9.2" height="2.1" rx="1" />
      <rect x="1" y="10.8" width="14" height="2.1" rx="1" />
    </svg>
  )
}
