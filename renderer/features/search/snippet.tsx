import { classNames } from '../../ui/class-names.ts'
import { splitSnippet } from './highlight.ts'
import styles from './snippet.module.css'

type Props = {
  readonly text: string
  /** UTF-16 ranges, end exclusive. */
  readonly matches: readonly (readonly [number, number])[]
  readonly isCode: boolean
}

/** A passage with its matches marked. */
export function Snippet({ text, matches, isCode }: Props) {
  return (
    <p className={classNames(styles.snippet, isCode && styles.code)} dir="auto">
      {splitSnippet(text, matches).map((stretch, index) =>
        stretch.isMatch ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: stretches of one snippet never change places
          <mark key={index} className={styles.match}>
            {stretch.text}
          </mark>
        ) : (
          stretch.text
        ),
      )}
    </p>
  )
}
