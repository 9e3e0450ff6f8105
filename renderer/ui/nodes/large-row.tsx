import { navigate } from '#renderer/routes.ts'
import { formatCount } from '../texts/format.ts'
import { MarkedText } from '../texts/marked-text.tsx'
import styles from './large-row.module.css'
import { MessageName } from './message-name.tsx'
import { messageNumber } from './message-number.ts'
import { useName } from './use-names.ts'

type Props = {
  readonly id: string
  /** How it begins, which is shown until its name is known. */
  readonly text: string
  readonly tokens: number
  /** The value of the largest row of the list, whose bar is full. */
  readonly most: number
  readonly color: string
}

/** A message or summary in a list of the largest, with a bar to scale; a click selects it. */
export function LargeRow({ id, text, tokens, most, color }: Props) {
  const name = useName(id)
  return (
    <button
      type="button"
      className={styles.row}
      title={`Select ${id}`}
      onClick={() => navigate({ selection: id }, 'push')}
    >
      <span className={styles.line}>
        <span className={styles.excerpt}>
          <bdi>
            <MarkedText text={name ?? text} />
          </bdi>
        </span>
        <span className="dim">{messageNumber(id) !== null && <MessageName id={id} />}</span>
        <span>{formatCount(tokens)}</span>
      </span>
      <span className={styles.track}>
        <span className={styles.bar} style={{ width: `${(tokens / most) * 100}%`, background: color }} />
      </span>
    </button>
  )
}
