import type { FileRow } from '../../../core/contract/file.ts'
import type { CodeToken } from '../../ui/code-tokens.ts'
import { CodeTokens } from '../../ui/coloured-code.tsx'
import { findAllExactly } from '../../ui/found-texts.ts'
import { Highlighted } from '../../ui/highlighted.tsx'
import { findAllIgnoringCase } from './file-chunks.ts'
import styles from './file-viewer.module.css'

const MOST_FOUND = 50

type Props = {
  readonly row: FileRow
  readonly tokens: readonly CodeToken[] | undefined
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
          <CodeTokens tokens={tokens} />
        )}
      </code>
    </div>
  )
}
