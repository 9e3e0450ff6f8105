import { classNames } from './class-names.ts'
import { type NodeLook, nodeTextColor } from './depth-color.ts'
import { shortenId } from './format.ts'
import styles from './node-id-text.module.css'
import { useCopy } from './use-copy.ts'

type Props = {
  readonly id: string
  /** Gives the id its colour; without it, it has that of the text. */
  readonly node?: NodeLook
  /** Longest that is shown whole; default: the whole id. */
  readonly maxChars?: number
}

/** An id that a click copies. To select a node with a click, use `NodeLink`. */
export function NodeIdText({ id, node, maxChars }: Props) {
  const [state, copy] = useCopy()
  return (
    <button
      type="button"
      className={classNames(styles.id, state === 'copied' && styles.copied)}
      style={node && { color: nodeTextColor(node) }}
      title={state === 'failed' ? 'The browser refused to copy' : `${id} (click to copy)`}
      aria-label={`Copy ${id}`}
      onClick={() => copy(id)}
    >
      <bdi>{maxChars === undefined ? id : shortenId(id, maxChars)}</bdi>
      <span className={styles.feedback} role="status">
        {state === 'copied' ? 'copied' : state === 'failed' ? 'not copied' : ''}
      </span>
    </button>
  )
}
