import { useState } from 'react'
import { toErrorInfo } from '#renderer/error-text.ts'
import { host } from '#renderer/host.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Mark } from '#renderer/ui/controls/home-button.tsx'
import { ThemeMenu } from '#renderer/ui/controls/theme-menu.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { FolderDialog } from './folder-dialog.tsx'
import { FoundMemories } from './found-memories.tsx'
import { importOnWelcomePage } from './handed-over.ts'
import styles from './open-error.module.css'
import { RecentMemories } from './recent-memories.tsx'
import { SalvageDialog } from './salvage-dialog.tsx'

/** The file itself is damaged: what can still be read of it has to be saved into another one. */
export function isDamage(error: unknown): boolean {
  const { code } = toErrorInfo(error)
  return code === 'file_corrupt' || code === 'file_truncated'
}

type Props = { readonly path: string; readonly error: unknown; readonly onRetry: () => void }

/** A file that cannot be opened: the reason, the next step, and other files to open. */
export function OpenError({ path, error, onRetry }: Props) {
  const [isBrowsing, setBrowsing] = useState(false)
  const { openNewerFile } = host
  const [isSalvaging, setSalvaging] = useState(false)
  const { code } = toErrorInfo(error)
  const isNewer = code === 'newer_version'
  const isDamaged = isDamage(error)
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <Mark size={20} />
        <span className={styles.path}>
          <bdi>{path}</bdi>
        </span>
        <ThemeMenu />
      </header>
      <div className={styles.main}>
        <ErrorState
          error={error}
          {...(isDamaged
            ? {
                next: 'What can be read goes into a new memory, and a report names what is lost. This file stays as it is.',
              }
            : { onRetry })}
          actions={
            <>
              {isDamaged && (
                <>
                  <Button look="primary" onClick={() => setSalvaging(true)}>
                    Salvage what can be read…
                  </Button>
                  <Button onClick={onRetry}>Try again</Button>
                </>
              )}
              {isNewer && openNewerFile && <Button onClick={() => openNewerFile(path)}>Read what can be read</Button>}
              <Button onClick={() => setBrowsing(true)}>Choose another file…</Button>
              <Button onClick={() => host.openFile(null)}>Welcome page</Button>
            </>
          }
        />
        <RecentMemories />
        <FoundMemories />
      </div>
      {isSalvaging && <SalvageDialog path={path} onClose={() => setSalvaging(false)} />}
      {isBrowsing && (
        <FolderDialog
          onMemory={host.openFile}
          onTranscript={(transcript) => importOnWelcomePage([transcript])}
          onClose={() => setBrowsing(false)}
        />
      )}
    </div>
  )
}
