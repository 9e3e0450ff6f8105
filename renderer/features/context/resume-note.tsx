import type { Resume } from '#core/contract/context.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { MendedCopy } from '#renderer/ui/parts/mended-copy.tsx'
import { Notice } from '#renderer/ui/states/notice.tsx'
import { formatCount } from '#renderer/ui/texts/format.ts'
import styles from './context-view.module.css'

type Props = {
  readonly conversationId: number
  readonly resume: Resume
  /** True while the window is shown that a resume would load. */
  readonly isResumed: boolean
  readonly onResumed: (isResumed: boolean) => void
}

/** Says that a resume would load less than the window, and lets that be looked at and mended. */
export function ResumeNote({ conversationId, resume, isResumed, onResumed }: Props) {
  const { loaded, messages, text } = resume
  return (
    <div className={styles.resume}>
      <Notice
        title={
          isResumed
            ? `This is what a resume would load: ${formatCount(loaded)} of ${formatCount(messages)} messages.`
            : `A resume would load only ${formatCount(loaded)} of ${formatCount(messages)} messages.`
        }
        action={
          <>
            <Button onClick={() => onResumed(!isResumed)}>
              {isResumed ? 'Show the whole window' : 'What a resume would load'}
            </Button>
            <MendedCopy conversationId={conversationId} />
          </>
        }
      >
        {`${text.charAt(0).toUpperCase()}${text.slice(1)}.`}
      </Notice>
    </div>
  )
}
