import { SettingsView } from '../features/settings/settings-view.tsx'
import { navigate } from '../routes.ts'
import { Mark } from '../ui/home-button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { ThemeMenu } from '../ui/theme-menu.tsx'
import { useKeys } from '../ui/use-keys.ts'
import { FIRST_VIEW } from '../views.ts'
import styles from './settings-page.module.css'

const leave = (): void => navigate({ view: FIRST_VIEW }, 'push')

/** The settings in a window without a memory. */
export function SettingsPage() {
  useKeys({ Escape: leave })
  return (
    <div className={styles.page}>
      <header className={styles.bar}>
        <IconButton icon="arrowLeft" label="Back to the welcome page" onClick={leave} />
        <Mark />
        <span className={styles.name}>LCM Inspector</span>
        <ThemeMenu />
      </header>
      <main className={styles.main}>
        <SettingsView />
      </main>
    </div>
  )
}
