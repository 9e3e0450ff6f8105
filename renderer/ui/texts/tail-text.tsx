import { classNames } from '../controls/class-names.ts'
import { MarkedText } from './marked-text.tsx'
import styles from './tail-text.module.css'

type Props = {
  /** The part that is shortened when there is not enough room. */
  readonly head: string
  /** The part that distinguishes it from others. */
  readonly tail: string
  /** True to emphasise the tail. */
  readonly isTailStrong?: boolean
}

/** One line that keeps its end when it is shortened, for paths and ids. */
export function TailText({ head, tail, isTailStrong = false }: Props) {
  return (
    <span className={classNames(styles.line, isTailStrong && styles.strong)}>
      {head !== '' && (
        <span className={styles.head}>
          <bdi>
            <MarkedText text={head} />
          </bdi>
        </span>
      )}
      <span className={styles.tail}>
        <bdi>
          <MarkedText text={tail} />
        </bdi>
      </span>
    </span>
  )
}
