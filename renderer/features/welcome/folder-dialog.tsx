import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { FolderEntry } from '#core/contract/machine.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatBytes, plainName } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './open-error.module.css'

type Props = {
  readonly title?: string
  readonly onMemory: (path: string) => void
  readonly onTranscript: (path: string) => void
  readonly onClose: () => void
}

/** The folders of the machine on which the core runs. The browser may be on another one. */
export function FolderDialog({ title = 'Open a memory or a transcript', onMemory, onTranscript, onClose }: Props) {
  const [path, setPath] = useState<string | undefined>(undefined)
  const folder = useQuery(api.machine.folder.queryOptions({ input: { path }, placeholderData: keepPreviousData }))
  const parent = folder.data?.parent ?? null
  const open = (entry: FolderEntry) => {
    if (entry.kind === 'folder') setPath(entry.path)
    else if (entry.kind === 'transcript') onTranscript(entry.path)
    else onMemory(entry.path)
  }
  return (
    <Dialog title={title} width={680} onClose={onClose}>
      <div className={styles.folderPath}>
        <IconButton
          icon="arrowUp"
          label="Folder above"
          disabled={parent === null}
          onClick={() => parent !== null && setPath(parent)}
        />
        <span className={styles.where}>
          <bdi>{folder.data?.path ?? '…'}</bdi>
        </span>
        <Button look="quiet" onClick={() => setPath(undefined)}>
          Home
        </Button>
      </div>
      <div className={styles.entries}>
        {folder.error ? (
          <ErrorState error={folder.error} onRetry={() => void folder.refetch()} />
        ) : folder.data === undefined ? (
          <Loading what="the folder" />
        ) : folder.data.entries.length === 0 ? (
          <p className={styles.none}>Nothing is in this folder.</p>
        ) : (
          <Virtuoso
            key={folder.data.path}
            data={folder.data.entries}
            fixedItemHeight={28}
            itemContent={(_, entry) => <EntryRow entry={entry} onOpen={() => open(entry)} />}
          />
        )}
      </div>
    </Dialog>
  )
}

function EntryRow({ entry, onOpen }: { readonly entry: FolderEntry; readonly onOpen: () => void }) {
  return (
    <button type="button" className={styles.entry} data-kind={entry.kind} onClick={onOpen}>
      <Icon name={entry.kind === 'folder' ? 'folder' : entry.kind === 'memory' ? 'database' : 'file'} />
      <span className={styles.name}>
        <bdi>{plainName(entry.name)}</bdi>
      </span>
      <span className="small">{KINDS[entry.kind]}</span>
      <span className={styles.size}>{entry.bytes !== null && formatBytes(entry.bytes)}</span>
      <span className={styles.time}>{entry.modifiedAtMs !== null && <TimeText atMs={entry.modifiedAtMs} />}</span>
    </button>
  )
}

const KINDS = { folder: '', memory: 'memory', transcript: 'transcript', file: '' } as const
