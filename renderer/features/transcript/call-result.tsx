import { useRef } from 'react'
import type { Message } from '#core/contract/message.ts'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import type { MessageRange } from '#renderer/ui/data/range-address.ts'
import { messageText } from '#renderer/ui/nodes/message-number.ts'
import { NodeIdText } from '#renderer/ui/nodes/node-id-text.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { formatTokens } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { useFoundMarks } from '#renderer/ui/texts/use-found-marks.ts'
import styles from './call-result.module.css'
import { isInside, keepTextUnmarked } from './chosen-messages.ts'
import { CopyMessage } from './copy-menu.tsx'
import { MessageBody } from './message-body.tsx'
import { type Elsewhere, MOST_DISTANCE } from './tool-pairs.ts'

type Props = {
  readonly message: Message
  /** How it stands in the list of the conversation. Absent in the messages of a sub-agent, which no key reaches. */
  readonly inList?: {
    readonly selection: string | null
    /** The messages that are selected together. */
    readonly range: MessageRange | null
    readonly onPick: (message: Message, isExtending: boolean) => void
  }
}

/** The message with the result of a call, in one line below the call. The line unfolds. */
export function CallResult({ message, inList }: Props) {
  const isSelected = message.id === inList?.selection
  const body = useRef<HTMLDivElement>(null)
  useFoundMarks(body, isSelected ? message.id : null)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k select, see the view
    <article
      className={classNames(styles.result, isInside(inList?.range ?? null, message.position) && styles.chosen)}
      aria-label={`${message.role} ${message.id}`}
      aria-current={isSelected ? 'true' : undefined}
      data-role={message.role}
      data-position={inList && message.position}
      onMouseDown={keepTextUnmarked}
      onClick={(event) => {
        event.stopPropagation()
        if (window.getSelection()?.isCollapsed !== false) inList?.onPick(message, event.shiftKey)
      }}
    >
      <div ref={body} className={styles.body}>
        <MessageBody message={message} isUnderCall />
      </div>
      <p className={styles.facts}>
        <CopyMessage id={message.id} className={styles.copy} />
        <span>
          <NodeIdText id={message.id} label={messageText(message.position + 1)} />
        </span>
        <span>{formatTokens(message.tokens)}</span>
        <span className={styles.time}>
          <TimeText atMs={message.createdAtMs} form="short" />
        </span>
      </p>
    </article>
  )
}

/** Says where the other half of a call or a result is when it is not drawn with it. */
export function OtherHalf({ of, elsewhere }: { readonly of: 'call' | 'result'; readonly elsewhere: Elsewhere }) {
  const other = of === 'call' ? 'result' : 'call'
  switch (elsewhere.kind) {
    case 'message':
      return (
        <p className={styles.half}>
          {of === 'call' ? 'its result is' : 'result of a call'} in <NodeLink id={elsewhere.id} maxChars={24} />
        </p>
      )
    case 'pending':
      return <p className={styles.half}>no result yet: the conversation ends here</p>
    case 'missing':
      return (
        <p className={styles.half}>
          <Chip
            tone="warning"
            title={`None of the ${MOST_DISTANCE} messages ${of === 'call' ? 'after' : 'before'} it has its ${other}`}
          >
            no {other}
          </Chip>
        </p>
      )
  }
}
