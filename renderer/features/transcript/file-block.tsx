import { useEffect, useMemo, useState } from 'react'
import { Chip } from '../../ui/chip.tsx'
import { type EmbeddedFile, isEmbedded, readEmbedded } from '../../ui/embedded-file.ts'
import { formatBytes, plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
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
            title="Pages are not drawn here. Save the document to read it in another program."
            onClick={(event) => {
              event.stopPropagation()
              saveFile(name ?? 'document.pdf', new Blob([embedded.bytes], { type: 'application/pdf' }))
            }}
          >
            Save
          </button>
        )}
      </p>
      {embedded?.kind === 'picture' && <Picture picture={embedded} name={name} foldKey={foldKey} />}
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

type PictureProps = {
  readonly picture: Extract<EmbeddedFile, { kind: 'picture' }>
  readonly name: string | null
  readonly foldKey: string
}

/** A small picture that a click makes larger. It has the type of its bytes, so the browser draws nothing but a picture. */
function Picture({ picture, name, foldKey }: PictureProps) {
  const { bytes, mime, width, height } = picture
  const [isLarge, toggle] = useFold(foldKey)
  const [isBroken, setBroken] = useState(false)
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: mime }))
    setAddress(made)
    setBroken(false)
    return () => URL.revokeObjectURL(made)
  }, [bytes, mime])
  if (isBroken) return <p className={styles.broken}>The picture is damaged and cannot be drawn.</p>
  return (
    <button
      type="button"
      className={styles.picture}
      data-large={isLarge}
      aria-expanded={isLarge}
      title={isLarge ? 'Show it small' : 'Show it larger'}
      onClick={toggle}
    >
      {address !== null && (
        <img
          src={address}
          alt={name ?? 'a picture without a name'}
          width={width}
          height={height}
          decoding="async"
          draggable={false}
          onError={() => setBroken(true)}
        />
      )}
    </button>
  )
}
