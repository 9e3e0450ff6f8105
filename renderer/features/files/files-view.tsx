import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { useRoute } from '../../routes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatBytes, plural } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { ViewHeader } from '../../ui/view-header.tsx'
import { FileRow } from './file-row.tsx'
import { FileViewer } from './file-viewer.tsx'
import styles from './files-view.module.css'

/** The large files that the conversation refers to instead of holding them, and the content of the selected one. */
export function FilesView({ conversationId }: { readonly conversationId: number }) {
  const files = useQuery(api.conversations.files.queryOptions({ input: { conversationId } }))
  const { selection, row } = useRoute()
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
