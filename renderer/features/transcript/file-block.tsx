import { useMemo } from 'react'
import { Chip } from '../../ui/chip.tsx'
import { type EmbeddedFile, isEmbedded, readEmbedded } from '../../ui/embedded-file.ts'
import { formatBytes, plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { PdfPages } from '../../ui/pdf-pages.tsx'
import { Picture } from '../../ui/picture.tsx'
import { saveFile } from '../../ui/save-file.ts'
import type { Block } from './blocks.ts'
import styles from './file-block.module.css'
import { useFold } from './folds.tsx'

type FileOf = Extract<Block, { kind: 'file' }>

const MOST_ADDRESS_CHARS = 300

/**
 * A picture or document of a message. What the memory itself holds of it is shown, within limits. Nothing is fetched
 * from elsewhere.
 */
export function FileBlock({ file, foldKey }: { readonly file: FileOf; readonly foldKey: string }) {
  const { name, mime, text, url } = file
  const [isLarge, toggle] = useFold(foldKey)
  const embedded = useMemo(() => (isEmbedded(url) ? readEmbedded(url) : null), [url])
  const facts = [name, mime, text, embedded === null ? url : factsOf(embedded)]
    .filter((fact) => fact !== null && fact !== '')
    .map((fact) => fact?.slice(0, MOST_ADDRESS_CHARS))
  return (
    <div className={styles.file}>
      <p
        className={styles.facts}
        title={embedded === null ? 'Only its name is stored here. Nothing is fetched from elsewhere.' : undefined}
      >
        <Icon name="file" />
        <span>
          <MarkedText text={[...new Set(facts)].join(' · ') || 'a file without a name'} />
        </span>
        {embedded?.kind === 'refused' && <Chip tone="warning">not shown: {embedded.why}</Chip>}
        {embedded?.kind === 'pdf' && (
          <button
            type="button"
            className={styles.save}
            title="Save the document to read it in another program"
            onClick={(event) => {
              event.stopPropagation()
              saveFile(name ?? 'document.pdf', new Blob([embedded.bytes], { type: 'application/pdf' }))
            }}
          >
            Save
          </button>
        )}
      </p>
      {embedded?.kind === 'picture' && <Picture picture={embedded} name={name} isLarge={isLarge} onToggle={toggle} />}
      {embedded?.kind === 'pdf' && <PdfPages bytes={embedded.bytes} name={name} isLarge={isLarge} onToggle={toggle} />}
    </div>
  )
}

function factsOf(file: EmbeddedFile): string | null {
  switch (file.kind) {
    case 'picture':
      return `${file.width} × ${file.height} pixels · ${formatBytes(file.bytes.length)}`
    case 'pdf':
      return `PDF${file.pages === null ? '' : ` · ${plural(file.pages, 'page')}`} · ${formatBytes(file.bytes.length)}`
    case 'refused':
      return null
  }
}
