import { useMemo, useState } from 'react'
import { classNames } from '../controls/class-names.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { type CodeLanguage, isColourable } from './code-languages.ts'
import { ColouredCode } from './coloured-code.tsx'
import { FileReferences } from './file-references.tsx'
import { formatCount } from './format.ts'
import styles from './long-text.module.css'
import { MarkedText } from './marked-text.tsx'
import { linePart, MOST_LINE_CHARS, piecesOf } from './text-pieces.ts'

const CHARS_PER_LINE = 110
const LINE_PX = 18
/** The part of a long line that is drawn at a time, and what is drawn of it before a match. */
const PART_CHARS = 2_000
const BEFORE_MATCH_CHARS = 200
const NOTHING: readonly string[] = []

type Props = {
  readonly text: string
  /** `code` for text that is read by column, `prose` for running text. */
  readonly face?: 'code' | 'prose'
  /** True when it scrolls by itself instead of making its row very high. */
  readonly isBounded?: boolean
  /** The language of code that is coloured when it is short enough. */
  readonly language?: CodeLanguage | null | undefined
  /** What a search found in it. A long line begins there. */
  readonly found?: readonly string[] | undefined
}

/** Shows text of any size unchanged. Only the pieces in sight are laid out, and of a long line only a part. */
export function LongText({ text, face = 'code', isBounded = false, language = null, found = NOTHING }: Props) {
  const pieces = useMemo(() => piecesOf(text, MOST_LINE_CHARS), [text])
  return (
    <div
      className={classNames(styles.text, styles[face], isBounded && styles.bounded)}
      dir={face === 'prose' ? 'auto' : undefined}
      tabIndex={isBounded ? 0 : undefined}
    >
      {language !== null && isColourable(text) ? (
        <ColouredCode text={text.replace(/\n$/, '')} language={language} />
      ) : (
        pieces.map((piece, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
            key={index}
            className={styles.piece}
            style={pieces.length > 1 ? { containIntrinsicBlockSize: `auto ${guessedPx(piece.text)}px` } : undefined}
          >
            {piece.isLongLine ? (
              <LongLine line={piece.text} found={found} />
            ) : (
              <FileReferences text={piece.text.replace(/\n$/, '')} />
            )}
          </div>
        ))
      )}
    </div>
  )
}

/** A line that would take too long to draw, a part at a time. */
export function LongLine({ line, found = NOTHING }: { readonly line: string; readonly found?: readonly string[] }) {
  const [at, setAt] = useState(() => firstMatch(line, found))
  const { from, to } = linePart(line, at, PART_CHARS)
  const length = line.replace(/\n$/, '').length
  return (
    <>
      {from > 0 && <span className={styles.cut}>…</span>}
      <MarkedText text={line.slice(from, to).replace(/\n$/, '')} />
      {to < line.length && <span className={styles.cut}>…</span>}
      <span className={styles.part}>
        <IconButton
          icon="arrowLeft"
          label="Earlier part of this line"
          disabled={from === 0}
          onClick={() => setAt(Math.max(0, from - PART_CHARS))}
        />
        <IconButton
          icon="arrowRight"
          label="Later part of this line"
          disabled={to >= length}
          onClick={() => setAt(to)}
        />
        characters {formatCount(from + 1)} – {formatCount(Math.min(to, length))} of {formatCount(length)} in this line
      </span>
    </>
  )
}

function firstMatch(line: string, found: readonly string[]): number {
  const places = found.map((text) => line.indexOf(text)).filter((place) => place >= 0)
  return places.length === 0 ? 0 : Math.max(0, Math.min(...places) - BEFORE_MATCH_CHARS)
}

function guessedPx(text: string): number {
  let lines = 0
  for (const line of text.split('\n'))
    lines += Math.max(1, Math.ceil(Math.min(line.length, PART_CHARS) / CHARS_PER_LINE))
  return lines * LINE_PX
}
