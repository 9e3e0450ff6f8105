import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Message } from '#core/contract/message.ts'
import { client } from '#renderer/api.ts'
import { errorText, toErrorInfo } from '#renderer/error-text.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { depthColor, depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './jump-bar.module.css'
import { type JumpTarget, parseJump } from './jump-target.ts'
import { type Look, useViewLook } from './look.ts'
import { counterOf } from './pages.ts'

type Props = {
  readonly conversationId: number
  /** The position of the first row in the conversation, which has `all` messages. */
  readonly first: number
  readonly all: number
  readonly total: number
  readonly columns: number
  /** The first row in sight. */
  readonly top: number
  /** True when the last row is in sight. */
  readonly isAtEnd: boolean
  readonly topMessage: Message | null
  /** The number of messages that arrived below since the end was last in sight. */
  readonly newer: number
  /** Why a key led nowhere, or null. */
  readonly deadEnd: string | null
  readonly onJump: (position: number) => void
}

/** Shows the position in the conversation, and jumps to others. Its left end is the heading of the gutter. */
export function JumpBar(props: Props) {
  const { conversationId, first, all, total, columns, top, isAtEnd, topMessage, newer, deadEnd, onJump } = props
  const [text, setText] = useState('')
  const [look, setLook] = useViewLook()
  const jump = useMutation({
    mutationFn: (target: JumpTarget) => locate(target, conversationId),
    onSuccess: (located, target) => {
      // The list scrolls to the selection. A node of another conversation changes the conversation.
      if (target.kind === 'id') navigate({ conversationId: located.conversationId, selection: target.id }, 'push')
      else onJump(Math.min(Math.max(located.position - first, 0), total - 1))
    },
  })
  const go = () => {
    const target = parseJump(text, topMessage?.createdAtMs ?? Date.now())
    if (target !== null) jump.mutate(target)
  }
  return (
    <div className={styles.bar}>
      <GutterHead columns={columns} />
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          go()
        }}
      >
        <input
          className={styles.input}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            jump.reset()
          }}
          placeholder="Go to number, id or time"
          aria-label="Go to a message by number, id or time"
          aria-invalid={jump.isError}
          spellCheck={false}
          autoComplete="off"
        />
        {jump.isError && (
          <span className={styles.error} role="alert">
            {errorText(toErrorInfo(jump.error).code).title}
          </span>
        )}
      </form>
      <Button look="quiet" onClick={() => onJump(0)}>
        First
      </Button>
      <Button look="quiet" onClick={() => onJump(total - 1)}>
        Last{newer > 0 && <span className={styles.newer}>{plural(newer, 'new message')}</span>}
      </Button>
      <span className={styles.space} role="status">
        {deadEnd}
      </span>
      <Segmented<Look>
        label="Show prose"
        options={[
          { value: 'rendered', label: 'rendered', hint: 'Markdown is drawn, unless that would change the text' },
          { value: 'source', label: 'source', hint: 'Every text as it is stored' },
        ]}
        value={look}
        onChange={setLook}
      />
      <span className={styles.position}>
        {formatCount(first + counterOf(top, total, isAtEnd))} of {plural(all, 'message')}
        {topMessage !== null && topMessage.createdAtMs !== null && (
          <span className={styles.when}>
            {' · '}
            <TimeText atMs={topMessage.createdAtMs} form="short" />
          </span>
        )}
      </span>
    </div>
  )
}

function GutterHead({ columns }: { readonly columns: number }) {
  return (
    <span className={styles.columns}>
      {Array.from({ length: columns }, (_, depth) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its depth
          key={depth}
          style={{ background: depthColor(depth) }}
          title={`${depthLabel(depth)}: a stripe beside the messages that it stands for, bright when it is in the window`}
        />
      ))}
    </span>
  )
}

type Located = { readonly conversationId: number; readonly position: number }

async function locate(target: JumpTarget, conversationId: number): Promise<Located> {
  switch (target.kind) {
    case 'position':
      return { conversationId, position: target.position }
    case 'time':
      return { conversationId, ...(await client.transcript.positionAt({ conversationId, atMs: target.atMs })) }
    case 'id':
      return client.transcript.locate({ id: target.id })
  }
}
