import { type ComponentProps, useEffect, useState } from 'react'
import { host } from '../../host.ts'
import { navigate } from '../../routes.ts'
import { ConnectDialog } from '../../ui/connect-dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { ThemeMenu } from '../../ui/theme-menu.tsx'
import { Databases } from './databases.tsx'
import { DropTarget } from './drop-target.tsx'
import { FolderDialog } from './folder-dialog.tsx'
import { FoundMemories } from './found-memories.tsx'
import { FoundTranscripts } from './found-transcripts.tsx'
import { forgetHandedOver, handedOver } from './handed-over.ts'
import { ImportPreview } from './import-preview.tsx'
import { ImportProgress } from './import-progress.tsx'
import { OpenActions } from './open-actions.tsx'
import { RecentMemories } from './recent-memories.tsx'
import { useImport } from './use-import.ts'
import styles from './welcome.module.css'

/** The page without a file, with every way to open one. */
export function Welcome({ onTour }: Pick<ComponentProps<typeof OpenActions>, 'onTour'>) {
  const [isBrowsing, setBrowsing] = useState(false)
  /** The address with which the dialog for a database opens, or null. */
  const [connecting, setConnecting] = useState<string | null>(null)
  const [chosen, setChosen] = useState<readonly string[] | null>(handedOver)
  useEffect(forgetHandedOver, [])
  const transcripts = useImport()
  const importChosen = (paths: readonly string[]) => {
    setChosen(null)
    transcripts.start(paths)
  }
  useEffect(
    () =>
      host.onMenu((command) => {
        if (command === 'import') void pickTranscripts(setChosen)
      }),
    [],
  )
  return (
    <DropTarget onMemory={host.openFile} onTranscripts={setChosen}>
      <div className={styles.page}>
        <header className={styles.header}>
          <Mark size={26} />
          <div>
            <h1 className={styles.title}>LCM Inspector</h1>
            <p className={styles.claim}>What an agent remembers, what its model sees, and how one becomes the other.</p>
          </div>
          <IconButton icon="gear" label="Settings" onClick={() => navigate({ view: 'settings' }, 'push')} />
          <ThemeMenu />
        </header>
        {transcripts.isActive ? (
          <ImportProgress transcripts={transcripts} />
        ) : chosen !== null ? (
          <ImportPreview paths={chosen} onImport={importChosen} onBack={() => setChosen(null)} />
        ) : (
          <main className={styles.main}>
            <OpenActions
              onBrowse={() => setBrowsing(true)}
              onConnect={(address) => setConnecting(address ?? '')}
              onImport={() => void pickTranscripts(setChosen)}
              onTranscript={(path) => setChosen([path])}
              onTour={onTour}
            />
            <RecentMemories />
            <Databases />
            <FoundMemories />
            <FoundTranscripts onChoose={setChosen} />
          </main>
        )}
      </div>
      {connecting !== null && (
        <ConnectDialog address={connecting} onConnected={host.openFile} onClose={() => setConnecting(null)} />
      )}
      {isBrowsing && (
        <FolderDialog
          onMemory={host.openFile}
          onTranscript={(path) => {
            setBrowsing(false)
            setChosen([path])
          }}
          onClose={() => setBrowsing(false)}
        />
      )}
    </DropTarget>
  )
}

async function pickTranscripts(choose: (paths: readonly string[]) => void): Promise<void> {
  const paths = await host.pickTranscripts?.()
  if (paths && paths.length > 0) choose(paths)
}
