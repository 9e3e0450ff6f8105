import { useState } from 'react'
import type { FileInfo } from '../../../core/contract/lineage.ts'
import { fileNameOf, formatBytes } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './file-row.module.css'

/** One file; unfolding shows what was found out about it when it was stored. */
export function FileRow({ file }: { readonly file: FileInfo }) {
  const [isOpen, setOpen] = useState(false)
  const name = file.fileName ?? fileNameOf(file.storageUri)
  return (
    <article className={styles.file}>
      <div className={styles.row}>
        <button type="button" className={styles.name} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} />
          <bdi>{name}</bdi>
        </button>
        <span className={styles.id}>
          <NodeLink id={file.id} maxChars={24} />
        </span>
        <span className={styles.dim}>{file.mimeType ?? ''}</span>
        <span className={styles.size}>{file.bytes === null ? '–' : formatBytes(file.bytes)}</span>
        <span className={styles.size}>
          <TimeText atMs={file.createdAtMs} />
        </span>
      </div>
      {isOpen && (
        <div className={styles.details}>
          <p className={styles.uri} title="Where it is stored; not opened here">
            {file.storageUri}
          </p>
          {file.explorationSummary ? (
            <Markdown text={file.explorationSummary} />
          ) : (
            <p className={styles.dim}>No exploration summary was stored with it.</p>
          )}
        </div>
      )}
    </article>
  )
}
