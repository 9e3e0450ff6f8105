import type { ReactNode } from 'react'
import type { LostDetail } from '#core/contract/loss.ts'
import { navigate } from '#renderer/routes.ts'
import styles from './lost-text.module.css'

type Props = {
  readonly detail: LostDetail
  /** Where it was said, when that is not the conversation of the address. */
  readonly conversationId?: number
  /** What else is said of it on hover. */
  readonly about?: string
  readonly children: ReactNode
}

/** A detail that is lost. A click follows it from its message up to the window. */
export function LostText({ detail: { messageId, text, sentence }, conversationId, about, children }: Props) {
  return (
    <button
      type="button"
      className={styles.text}
      title={`${sentence}\n\n${about === undefined ? '' : `${about}. `}Trace it`}
      dir="auto"
      onClick={() =>
        navigate(
          {
            ...(conversationId !== undefined && { conversationId }),
            ...{ view: 'find', searchKind: 'trace', tracedId: messageId, query: text, selection: messageId },
          },
          'push',
        )
      }
    >
      {children}
    </button>
  )
}
