import { navigate } from '#renderer/routes.ts'
import styles from '../styles/node-id.module.css'
import { MarkedText } from './marked-text.tsx'

/** What stands in a text in place of a large file. */
const REFERENCE = /\[LCM File: (file_[0-9a-f]{16}) \|[^\]\n]{0,1000}\]/g

type Piece = { readonly text: string; readonly fileId: string | null }

/** Cuts a text into references to large files and what is between them. */
function splitReferences(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const found of text.matchAll(REFERENCE)) {
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), fileId: null })
    pieces.push({ text: found[0], fileId: found[1] ?? null })
    from = found.index + found[0].length
  }
  if (from < text.length || pieces.length === 0) pieces.push({ text: text.slice(from), fileId: null })
  return pieces
}

/** The files that a text refers to and that are pictures or PDFs by their types, each once. */
export function picturesIn(text: string): readonly { readonly id: string; readonly name: string }[] {
  const found = new Map<string, string>()
  for (const [whole, id = ''] of text.matchAll(REFERENCE)) {
    const [, name = '', mime = ''] = whole.split(' | ')
    if (isPictureType(mime)) found.set(id, name)
  }
  return [...found].map(([id, name]) => ({ id, name }))
}

export const isPictureType = (mime: string | null): boolean =>
  /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)\b/.test(mime ?? '')

/** Whether a text has a reference to a large file. */
export const hasReference = (text: string): boolean => splitReferences(text).some(({ fileId }) => fileId !== null)

/** A text of a memory in which a click on a reference opens the file, and hidden characters are marked. */
export function FileReferences({ text }: { readonly text: string }) {
  return splitReferences(text).map((piece, index) =>
    piece.fileId === null ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
      <MarkedText key={index} text={piece.text} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
      <FileLink key={index} id={piece.fileId} text={piece.text} />
    ),
  )
}

function FileLink({ id, text }: { readonly id: string; readonly text: string }) {
  return (
    <button
      type="button"
      className={styles.reference}
      title={`Show the content of ${id}`}
      onClick={(event) => {
        // The message around it would be selected instead.
        event.stopPropagation()
        navigate({ view: 'files', selection: id }, 'push')
      }}
    >
      <MarkedText text={text} />
    </button>
  )
}
