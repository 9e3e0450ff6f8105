import type { FileInfo } from '../../../core/contract/lineage.ts'
import { navigate } from '../../routes.ts'
import { fileNameOf, formatBytes, shortenId } from '../../ui/format.ts'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './file-row.module.css'

/** One file in the list; a click shows its content. */
export function FileRow({ file, isSelected }: { readonly file: FileInfo; readonly isSelected: boolean }) {
  return (
    <button
      type="button"
      className={styles.row}
      aria-pressed={isSelected}
      onClick={() => navigate({ selection: file.id }, 'push')}
    >
      <bdi className={styles.name}>{file.fileName ?? fileNameOf(file.storageUri)}</bdi>
      <span className={styles.id}>{shortenId(file.id, 24)}</span>
      <span className={styles.dim}>{file.mimeType ?? ''}</span>
      <span className={styles.size}>{file.bytes === null ? '–' : formatBytes(file.bytes)}</span>
      <span className={styles.size}>
        <TimeText atMs={file.createdAtMs} />
      </span>
    </button>
  )
}
