import type { FileRow } from '../../../core/contract/file.ts'
import { findAllExactly } from '../../ui/found-texts.ts'
import { Highlighted } from '../../ui/highlighted.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { findAllIgnoringCase } from './file-chunks.ts'
import styles from './file-viewer.module.css'
import type { Token } from './highlight-lines.ts'

const MOST_FOUND = 50

type Props = {
  readonly row: FileRow
  readonly tokens: readonly Token[] | undefined
  /** The text that is searched for, or empty. */
  readonly query: string
  /** What a search found in the file before it was opened. */
  readonly found: readonly string[]
  readonly isCurrent: boolean
}

/** One row of a file with the number of its line. */
export function FileLine({ row, tokens, query, found, isCurrent }: Props) {
  const matches =
    query === '' && isCurrent ? findAllExactly(row.text, found, MOST_FOUND) : findAllIgnoringCase(row.text, query)
  return (
    <div className={styles.line} data-current={isCurrent || undefined}>
      <span className={styles.number} aria-hidden={!row.isLineStart}>
        {row.isLineStart ? row.line : '↳'}
      </span>
      <code className={styles.code}>
        {matches.length > 0 || tokens === undefined ? (
          <Highlighted text={row.text} matches={matches} />
        ) : (
          tokens.map(({ text, look }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one line never change places
            <span key={index} data-look={look ?? undefined}>
              <MarkedText text={text} />
            </span>
          ))
        )}
      </code>
    </div>
  )
}
