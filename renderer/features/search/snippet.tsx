import { classNames } from '../../ui/class-names.ts'
import { Highlighted } from '../../ui/highlighted.tsx'
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
      <Highlighted text={text} matches={matches} />
    </p>
  )
}
