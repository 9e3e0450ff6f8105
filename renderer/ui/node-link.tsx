import { navigate, type View } from '../routes.ts'
import { classNames } from './class-names.ts'
import { type NodeLook, nodeTextColor } from './depth-color.ts'
import { shortenId } from './format.ts'
import styles from './node-id.module.css'

type Props = {
  readonly id: string
  readonly node?: NodeLook
  readonly maxChars?: number
  /** The node's conversation, if it may differ from the one on screen. */
  readonly conversationId?: number | null
  /** A view that the click opens as well. */
  readonly view?: View
}

/** An id that a click selects in all views. */
export function NodeLink({ id, node, maxChars = 16, conversationId, view }: Props) {
  const select = () =>
    navigate(
      { selection: id, ...(view && { view }), ...(typeof conversationId === 'number' && { conversationId }) },
      'push',
    )
  return (
    <button
      type="button"
      className={classNames(styles.id, styles.link)}
      style={{ color: node ? nodeTextColor(node) : 'var(--link)' }}
      title={`Select ${id}`}
      onClick={select}
    >
      <bdi>{shortenId(id, maxChars)}</bdi>
    </button>
  )
}
