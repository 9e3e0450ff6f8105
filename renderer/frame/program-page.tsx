import type { ReactNode } from 'react'
import { useLink, useRoutePart } from '../routes.ts'
import { IconButton } from '../ui/controls/icon-button.tsx'
import { viewsOf } from '../views.ts'
import styles from './program-page.module.css'
import tabStyles from './tabs.module.css'

type Props = {
  /** Where the way back leads: `the memory`. */
  readonly backTo: string
  readonly onBack: () => void
  /** Without a memory the program has no runs, and what it does is not recorded by file. */
  readonly hasMemory: boolean
  readonly children: ReactNode
}

/** What belongs to the program and to no conversation: its views as links, and the way back. */
export function ProgramPage({ backTo, onBack, hasMemory, children }: Props) {
  const linkTo = useLink()
  const shown = useRoutePart('view')
  return (
    <main className={styles.page}>
      <nav className={styles.bar} aria-label="Program">
        <IconButton icon="arrowLeft" label={`Back to ${backTo}`} onClick={onBack} />
        {viewsOf('program')
          .filter(({ view }) => hasMemory || WITHOUT_MEMORY.has(view))
          .map(({ view, label, letter }) => (
            <a
              key={view}
              className={tabStyles.tab}
              href={linkTo({ view })}
              title={`g ${letter}`}
              aria-current={view === shown ? 'page' : undefined}
              draggable={false}
            >
              {label}
            </a>
          ))}
      </nav>
      <div className={styles.view}>{children}</div>
    </main>
  )
}

const WITHOUT_MEMORY: ReadonlySet<string> = new Set(['settings', 'servers'])
