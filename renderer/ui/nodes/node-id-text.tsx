import { classNames } from '../controls/class-names.ts'
import { useCopy } from '../controls/use-copy.ts'
import styles from '../styles/node-id.module.css'
import { shortenId } from '../texts/format.ts'
import { type NodeLook, nodeTextColor } from './depth-color.ts'

type Props = {
  readonly id: string
  /** The node that gives the id its colour. Without it, the id has the colour of the text. */
  readonly node?: NodeLook
  /** What is read in place of the id. */
  readonly label?: string
  /** The greatest length that is shown completely. By default there is no limit. */
  readonly maxChars?: number
}

/** An id that a click copies. For an id that a click selects, use `NodeLink`. */
export function NodeIdText({ id, node, label, maxChars }: Props) {
  const [state, copy] = useCopy()
  const shown = label ?? (maxChars === undefined ? id : shortenId(id, maxChars))
  return (
    <button
      type="button"
      className={classNames(
        label === undefined ? styles.id : styles.name,
        styles.copy,
        state === 'copied' && styles.copied,
      )}
      style={node && { color: nodeTextColor(node) }}
      title={state === 'failed' ? 'The browser refused to copy' : `${id} (click to copy)`}
      aria-label={shown === id ? `Copy ${id}` : `${shown} Copy ${id}`}
      onClick={() => copy(id)}
    >
      <bdi>{shown}</bdi>
      <span className={styles.feedback} role="status">
        {state === 'copied' ? 'copied' : state === 'failed' ? 'not copied' : ''}
      </span>
    </button>
  )
}
