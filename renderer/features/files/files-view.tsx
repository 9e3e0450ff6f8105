import { useQuery } from '@tanstack/react-query'
import type { FileInfo } from '#core/contract/lineage.ts'
import { api } from '#renderer/api.ts'
import { navigate, useRoutePart } from '#renderer/routes.ts'
import { ViewHeader } from '#renderer/ui/controls/view-header.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { fileNameOf, formatBytes, plural } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { FileViewer } from './file-viewer.tsx'
import styles from './files-view.module.css'

/** The large files that the conversation refers to instead of holding them, and the content of the selected one. */
export function FilesView({ conversationId }: { readonly conversationId: number }) {
  const files = useQuery(api.conversations.files.queryOptions({ input: { conversationId } }))
  const selection = useRoutePart('selection')
  const row = useRoutePart('row')
  const info = useQuery(api.memory.info.queryOptions())
  if (files.error) return <ErrorState error={files.error} onRetry={() => void files.refetch()} />
  if (!files.data) return <Loading what="files" />
  if (files.data.length === 0)
    return (
      <EmptyState title="No large files">
        {info.data?.capabilities.files === false
          ? `${info.data.systemLabel} does not store large files apart from its messages.`
          : 'Nothing in this conversation was large enough to be stored apart from its message.'}
      </EmptyState>
    )
  const bytes = files.data.reduce((sum, file) => sum + (file.bytes ?? 0), 0)
  const shown = files.data.find(({ id }) => id === selection)
  return (
    <div className={styles.files}>
      <ViewHeader title={plural(files.data.length, 'large file')}>
        {formatBytes(bytes)} kept outside the messages, which hold a reference and a summary instead
      </ViewHeader>
      <div className={styles.list} data-beside-content={shown !== undefined || undefined}>
        {files.data.map((file) => (
          <FileRow key={file.id} file={file} isSelected={file === shown} />
        ))}
      </div>
      {shown && <FileViewer key={shown.id} file={shown} openAt={row} />}
    </div>
  )
}

/** One file in the list; a click shows its content. */
function FileRow({ file, isSelected }: { readonly file: FileInfo; readonly isSelected: boolean }) {
  return (
    <button
      type="button"
      className={styles.row}
      title={file.id}
      aria-pressed={isSelected}
      onClick={() => navigate({ selection: file.id }, 'push')}
    >
      <bdi className="one-line">{file.fileName ?? fileNameOf(file.storageUri)}</bdi>
      <span className={styles.dim}>{file.mimeType ?? ''}</span>
      <span className={styles.size}>{file.bytes === null ? '–' : formatBytes(file.bytes)}</span>
      <span className={styles.size}>
        <TimeText atMs={file.createdAtMs} />
      </span>
    </button>
  )
}
