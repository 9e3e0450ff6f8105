import { splitSnippet } from './highlight.ts'
import styles from './highlighted.module.css'
import { MarkedText } from './marked-text.tsx'

type Props = {
  readonly text: string
  /** UTF-16 ranges, end exclusive. */
  readonly matches: readonly (readonly [number, number])[]
}

/** Text with parts of it marked. */
export function Highlighted({ text, matches }: Props) {
  return splitSnippet(text, matches).map((part, index) =>
    part.isMatch ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never change places
      <mark key={index} className={styles.match}>
        <MarkedText text={part.text} />
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never change places
      <MarkedText key={index} text={part.text} />
    ),
  )
}
