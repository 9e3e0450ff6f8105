import { navigate } from '#renderer/routes.ts'
import type { View } from '#renderer/views.ts'
import { classNames } from '../controls/class-names.ts'
import styles from '../styles/node-id.module.css'
import { shortenId } from '../texts/format.ts'
import { withSigns } from '../texts/hidden-characters.ts'
import { MarkedText } from '../texts/marked-text.tsx'
import { type NodeLook, nodeTextColor } from './depth-color.ts'
import { messageNumber } from './message-number.ts'
import { useMessageText, useName } from './use-names.ts'

type Props = {
  readonly id: string
  readonly node?: NodeLook
  readonly maxChars?: number
  /** The node's conversation, if it may differ from the one on screen. */
  readonly conversationId?: number | null
  /** A view that the click opens as well. */
  readonly view?: View
}

/** Where the name of a summary stands in a line, it takes at most this part of it. */
const MOST_NAME_CHARS = 48

/** A node that a click selects in all views: a summary by its name, a message by its number, a file by its id. */
export function NodeLink(props: Props) {
  if (props.id.startsWith('file_')) return <IdLink {...props} />
  return messageNumber(props.id) === null ? <NamedLink {...props} /> : <NumberedLink {...props} />
}

/** A node by its id, where the id itself is what is read. */
export const IdLink = (props: Props) => <Link name={null} {...props} />

const NamedLink = (props: Props) => <Link name={useName(props.id)} {...props} />

function NumberedLink(props: Props) {
  const text = useMessageText(props.id)
  return <Link name={text === props.id ? null : text} {...props} />
}

function Link({ name, id, node, maxChars = 16, conversationId, view }: Props & { readonly name: string | null }) {
  const select = () =>
    navigate(
      { selection: id, ...(view && { view }), ...(typeof conversationId === 'number' && { conversationId }) },
      'push',
    )
  return (
    <button
      type="button"
      className={classNames(name === null ? styles.id : styles.name, styles.link)}
      style={{ color: node ? nodeTextColor(node) : 'var(--link)' }}
      title={name === null ? `Select ${id}` : `${withSigns(name)}\nSelect ${id}`}
      {...(name !== null && { 'aria-label': `${shortened(name)} ${id}` })}
      onClick={select}
    >
      <bdi>
        <MarkedText text={name === null ? shortenId(id, maxChars) : shortened(name)} />
      </bdi>
    </button>
  )
}

const shortened = (name: string): string =>
  name.length <= MOST_NAME_CHARS ? name : `${name.slice(0, MOST_NAME_CHARS - 1).trimEnd()}…`
