import { useQuery } from '@tanstack/react-query'
import { memo, useMemo } from 'react'
import type { Message } from '#core/contract/message.ts'
import { tracedStates } from '#renderer/ui/data/traced-states.ts'
import { nodeTextColor } from '#renderer/ui/nodes/depth-color.ts'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { messageText } from '#renderer/ui/nodes/message-number.ts'
import { NodeIdText } from '#renderer/ui/nodes/node-id-text.tsx'
import { NoteMark } from '#renderer/ui/nodes/node-marks.tsx'
import { StateMark } from '#renderer/ui/parts/state-mark.tsx'
import { formatCount, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { blocksOf, isBareMark } from './blocks.ts'
import { CopyMessage } from './copy-menu.tsx'
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
        <NodeIdText id={message.id} label={messageText(message.position + 1)} />
      </span>
      <NoteMark id={message.id} />
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
      {message.visibility !== 'in_window' && message.isEvent !== true && <Survival id={message.id} />}
      <CopyMessage id={message.id} className={styles.copy} />
      <span>{formatTokens(message.tokens)}</span>
      <span className={styles.time}>
        <TimeText atMs={message.createdAtMs} form="short" />
      </span>
    </header>
  )
})

/** What is left in the window of a message that was summarised. Nothing is said before it is traced, or without details. */
function Survival({ id }: { readonly id: string }) {
  const { data } = useQuery(tracedStates([id]))
  const found = data?.[0]
  if (found === undefined || found.inWindow || found.details === 0) return null
  const { state, kept, details } = found
  return (
    <span title={`${formatCount(kept)} of its ${plural(details, 'detail')} still stand in the window`}>
      <StateMark state={state}>{`${formatCount(kept)} of ${formatCount(details)} known`}</StateMark>
    </span>
  )
}

function marksOf(message: Message): string {
  const labels = blocksOf(message).flatMap((block) => (isBareMark(block) ? [block.label] : []))
  // The end of a step says most, and the line may be cut.
  return [...new Set(labels.reverse())].join(' · ')
}

function toolNames(message: Message): string {
  return [...new Set(message.parts.map((part) => part.toolName).filter((name) => name !== null))].join(', ')
}
