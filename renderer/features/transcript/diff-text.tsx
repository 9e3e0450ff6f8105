import { plural } from '#renderer/ui/texts/format.ts'
import { LongLine } from '#renderer/ui/texts/long-text.tsx'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { MOST_LINE_CHARS } from '#renderer/ui/texts/text-pieces.ts'
import styles from './diff-text.module.css'
import type { DiffLine } from './edit-diff.ts'
import { useFold } from './folds.tsx'

type Props = {
  readonly lines: readonly DiffLine[]
  readonly foldKey: string
}

const FOLDED_LINES = 24
/** No reader needs more lines at once. The input has all of them. */
const MAX_LINES = 2_000
const SIGNS = { added: '+', removed: '−', same: ' ', hunk: ' ', head: ' ' } as const

/** A change, line by line, with signs as well as colours. */
export function DiffText({ lines, foldKey }: Props) {
  const [isOpen, toggle] = useFold(foldKey)
  const isFolded = !isOpen && lines.length > FOLDED_LINES + 2
  const shown = lines.slice(0, isFolded ? FOLDED_LINES : MAX_LINES)
  const isPatch = lines.some(({ kind }) => kind === 'hunk' || kind === 'head')
  return (
    <div className={styles.diff}>
      <code className={styles.lines}>
        {shown.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of one change never change places
          <span key={index} className={styles.line} data-kind={kind}>
            <span className={styles.sign}>{SIGNS[kind]}</span>
            <DiffLineText text={isPatch ? withoutSign(kind, text) : text} />
          </span>
        ))}
      </code>
      {(isFolded || (isOpen && lines.length > FOLDED_LINES + 2)) && (
        <button type="button" className={styles.more} aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? 'Show less' : plural(lines.length - FOLDED_LINES, 'more line')}
        </button>
      )}
    </div>
  )
}

const DiffLineText = ({ text }: { readonly text: string }) =>
  text.length > MOST_LINE_CHARS ? <LongLine line={text} /> : <MarkedText text={text} />

/** The lines of a patch have signs of their own; its head has none. */
function withoutSign(kind: DiffLine['kind'], text: string): string {
  return kind === 'head' || kind === 'hunk' ? text : text.replace(/^[ +-]/, '')
}
