import { useMemo } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { FileReferences } from '../../ui/file-references.tsx'
import styles from './long-text.module.css'
import { piecesOf } from './preview.ts'

/** Small enough to be laid out within a frame, even without a line break. */
const PIECE_CHARS = 4_000
const CHARS_PER_LINE = 110
const LINE_PX = 18

type Props = {
  readonly text: string
  /** `code` for text that is read by column, `prose` for running text. */
  readonly face?: 'code' | 'prose'
  /** True when it scrolls by itself instead of making its row very high. */
  readonly isBounded?: boolean
}

/** Shows text of any size unchanged. Only the pieces in sight are laid out. */
export function LongText({ text, face = 'code', isBounded = false }: Props) {
  const pieces = useMemo(() => piecesOf(text, PIECE_CHARS), [text])
  return (
    <div
      className={classNames(styles.text, styles[face], isBounded && styles.bounded)}
      tabIndex={isBounded ? 0 : undefined}
    >
      {pieces.map((piece, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
          key={index}
          className={styles.piece}
          data-broken={piece.isBroken}
          style={pieces.length > 1 ? { containIntrinsicBlockSize: `auto ${guessedPx(piece.text)}px` } : undefined}
        >
          <FileReferences text={piece.text.replace(/\n$/, '')} />
        </div>
      ))}
    </div>
  )
}

function guessedPx(text: string): number {
  let lines = 0
  for (const line of text.split('\n')) lines += Math.max(1, Math.ceil(line.length / CHARS_PER_LINE))
  return lines * LINE_PX
}
