import { useEffect, useMemo, useState } from 'react'
import type { EmbeddedFile } from './embedded-file.ts'
import styles from './picture.module.css'

type Props = {
  readonly picture: Extract<EmbeddedFile, { kind: 'picture' }>
  readonly name: string | null
  readonly isLarge: boolean
  readonly onToggle: () => void
}

/** A small picture that a click makes larger. It has the type of its bytes, so the browser draws nothing but a picture. */
export function Picture({ picture: { bytes, mime, width, height }, name, isLarge, onToggle }: Props) {
  const address = useBlobAddress(useMemo(() => new Blob([bytes], { type: mime }), [bytes, mime]))
  const [broken, setBroken] = useState<string | null>(null)
  if (address !== null && broken === address)
    return <p className={styles.broken}>The picture is damaged and cannot be drawn.</p>
  return (
    <button
      type="button"
      className={styles.picture}
      data-large={isLarge}
      aria-expanded={isLarge}
      title={isLarge ? 'Show it small' : 'Show it larger'}
      onClick={onToggle}
    >
      {address !== null && (
        <img
          src={address}
          alt={name ?? 'a picture without a name'}
          width={width}
          height={height}
          decoding="async"
          draggable={false}
          onError={() => setBroken(address)}
        />
      )}
    </button>
  )
}

/** An address for bytes of this window, for as long as they are shown. */
export function useBlobAddress(blob: Blob | null): string | null {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (blob === null) return
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return blob === null ? null : address
}
