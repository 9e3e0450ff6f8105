import { memo, useMemo } from 'react'
import type { Message } from '../../../core/contract/message.ts'
import { nodeTextColor } from '../../ui/depth-color.ts'
import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import { formatTokens } from '../../ui/format.ts'
import { MarkedText } from '../../ui/marked-text.tsx'
import { NodeIdText } from '../../ui/node-id-text.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { blocksOf, isBareMark } from './blocks.ts'
import { useMessageLook } from './look.ts'
import styles from './message-head.module.css'

/** The role, id, size and time of a message. */
export const MessageHead = memo(function MessageHead({ message }: { readonly message: Message }) {
  const marks = useMemo(() => marksOf(message), [message])
  const node = { kind: 'message', role: message.role } as const
  const [look, turnLook] = useMessageLook(message.id)
  const tools = message.role === 'tool' ? toolNames(message) : ''
  return (
    <header className={styles.head}>
      <DepthSwatch node={node} />
      <span className={styles.role} style={{ color: nodeTextColor(node) }}>
        {message.role}
      </span>
      {tools !== '' && (
        <span className={styles.tool}>
          <MarkedText text={tools} />
        </span>
      )}
      <span className={styles.id}>
        <NodeIdText id={message.id} maxChars={20} />
      </span>
      <span className={styles.marks}>
        <MarkedText text={marks} />
      </span>
      {message.role !== 'tool' && (
        <button
          type="button"
          className={styles.turn}
          aria-pressed={look === 'source'}
          title="Show this message rendered, or as it is stored"
          onClick={turnLook}
        >
          source
        </button>
      )}
      <span>{formatTokens(message.tokens)}</span>
      <span className={styles.time}>
        <TimeText atMs={message.createdAtMs} form="short" />
      </span>
    </header>
  )
})

function marksOf(message: Message): string {
  const labels = blocksOf(message).flatMap((block) => (isBareMark(block) ? [block.label] : []))
  // The end of a step says most, and the line may be cut.
  return [...new Set(labels.reverse())].join(' · ')
}

function toolNames(message: Message): string {
  return [...new Set(message.parts.map((part) => part.toolName).filter((name) => name !== null))].join(', ')
}
