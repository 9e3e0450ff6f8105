import { classNames } from './class-names.ts'
import styles from './tail-text.module.css'

type Props = {
  /** Gives way where there is no room. */
  readonly head: string
  /** What tells it from others. */
  readonly tail: string
  /** The tail is what counts: the head stands back. */
  readonly isTailStrong?: boolean
}

/** One line that keeps its end, as paths and ids need it. */
export function TailText({ head, tail, isTailStrong = false }: Props) {
  return (
    <span className={classNames(styles.line, isTailStrong && styles.strong)}>
      {head !== '' && (
        <span className={styles.head}>
          <bdi>{head}</bdi>
        </span>
      )}
      <span className={styles.tail}>
        <bdi>{tail}</bdi>
      </span>
    </span>
  )
}
