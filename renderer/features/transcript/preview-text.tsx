import { useMemo } from 'react'
import { formatBytes, formatCount, plural } from '../../ui/format.ts'
import { useFold } from './folds.tsx'
import { LongText } from './long-text.tsx'
import { previewOf } from './preview.ts'
import styles from './preview-text.module.css'

type Props = {
  readonly text: string
  readonly foldKey: string
  readonly maxLines: number
  readonly isError?: boolean
  /** Loads the rest. Set when the text is only the beginning of what is stored. */
  readonly onWhole?: (() => void) | undefined
}

const PREVIEW_CHARS = 700
const MUCH_CHARS = 20_000

/** The first lines of an output, and the rest on request. */
export function PreviewText({ text, foldKey, maxLines, isError = false, onWhole }: Props) {
  const [isOpen, toggle] = useFold(foldKey)
  const preview = useMemo(() => previewOf(text, maxLines, PREVIEW_CHARS), [text, maxLines])
  const isCut = preview.hiddenChars > 0 || onWhole !== undefined
  const press = () => {
    if (!isOpen) onWhole?.()
    toggle()
  }
  return (
    <div className={styles.preview} data-error={isError} data-cut={isCut && !isOpen}>
      <LongText text={isOpen ? text : preview.head} isBounded={isOpen && text.length > MUCH_CHARS} />
      {isCut && (
        <button type="button" className={styles.more} aria-expanded={isOpen} onClick={press}>
          {isOpen ? 'Show less' : `${onWhole ? 'over ' : ''}${moreText(preview.hiddenLines, preview.hiddenChars)}`}
        </button>
      )}
    </div>
  )
}

function moreText(lines: number, chars: number): string {
  if (lines <= 1) return `${formatCount(chars)} more characters`
  return `${plural(lines, 'more line')} · ${formatBytes(chars)}`
}
