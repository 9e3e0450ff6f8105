import { SettingsView } from '../features/settings/settings-view.tsx'
import { navigate, useRoutePart } from '../routes.ts'
import { Mark } from '../ui/controls/home-button.tsx'
import { ThemeMenu } from '../ui/controls/theme-menu.tsx'
import { useKeys } from '../ui/controls/use-keys.ts'
import { FIRST_VIEW } from '../views.ts'
import { ProgramPage } from './program-page.tsx'
import styles from './program-without-memory.module.css'
import { ServersView } from './servers-view.tsx'

const leave = (): void => navigate({ view: FIRST_VIEW }, 'push')

/** The settings and the servers in a window without a memory. */
export function ProgramWithoutMemory() {
  const view = useRoutePart('view')
  useKeys({ Escape: leave })
  return (
    <div className={styles.page}>
      <header className={styles.bar}>
        <Mark />
        <span className={styles.name}>LCM Inspector</span>
        <ThemeMenu />
      </header>
      <ProgramPage backTo="the welcome page" onBack={leave} hasMemory={false}>
        {view === 'servers' ? <ServersView /> : <SettingsView />}
      </ProgramPage>
    </div>
  )
}
