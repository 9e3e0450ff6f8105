import { splitSnippet } from './highlight.ts'
import styles from './highlighted.module.css'

type Props = {
  readonly text: string
  /** UTF-16 ranges, end exclusive. */
  readonly matches: readonly (readonly [number, number])[]
}

/** Text with stretches of it marked. */
export function Highlighted({ text, matches }: Props) {
  return splitSnippet(text, matches).map((stretch, index) =>
    stretch.isMatch ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: stretches of one text never change places
      <mark key={index} className={styles.match}>
        {stretch.text}
      </mark>
    ) : (
      stretch.text
    ),
  )
}
