import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { GrepHit } from '#core/contract/retrieval.ts'
import { navigate } from '#renderer/routes.ts'
import { classNames } from '../controls/class-names.ts'
import { type NodeLook, nodeColor, nodeLabel, nodeTextColor } from '../nodes/depth-color.ts'
import { MessageName } from '../nodes/message-name.tsx'
import { clipPassage, linesOfPassage } from './clip-passage.ts'
import { keepFound } from './found-texts.ts'
import { Highlighted } from './highlighted.tsx'
import { readable } from './readable-passage.ts'
import styles from './source-passage.module.css'
import { TimeText } from './time-text.tsx'

type Props = {
  readonly id: string
  readonly node: NodeLook
  readonly conversationId: number
  readonly atMs: number | null
  readonly field: GrepHit['field']
  readonly excerpt: string
  /** Ranges in the excerpt. */
  readonly matches?: readonly (readonly [number, number])[]
  /** From 0 to 1. Undefined when nothing was scored. */
  readonly score?: number
  readonly why?: ReactNode
  /** True when its matches are marked in the text. */
  readonly isActive?: boolean
  readonly onPoint?: () => void
}

/** Which text of a message something stands in, where it is not what the message says. */
export const FIELDS = {
  content: null,
  tool_input: 'tool input',
  tool_output: 'tool output',
  reasoning: 'reasoning',
} as const
const NO_MATCHES: readonly (readonly [number, number])[] = []

/** A passage of a message or summary, with its score if it has one. A click opens it in its message or summary. */
export function SourcePassage(props: Props) {
  const { id, node, conversationId, atMs, field, excerpt, matches = NO_MATCHES, score, why } = props
  const queries = useQueryClient()
  const isCode = field === 'tool_input' || field === 'tool_output' || node.role === 'tool'
  const clipped = readable(clipPassage(excerpt, matches), field === 'tool_input' ? 'json' : isCode ? 'code' : 'prose')
  const open = () => {
    keepFound(queries, id, { texts: linesOfPassage(excerpt), search: null, field })
    navigate({ conversationId, selection: id, view: node.kind === 'message' ? 'messages' : 'layers' }, 'push')
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only shows what the button says
    <div
      className={classNames(styles.passage, props.isActive && styles.active)}
      style={{ borderColor: nodeColor(node) }}
      onMouseEnter={props.onPoint}
      onFocus={props.onPoint}
    >
      <button type="button" className={styles.open} title={`Open ${id} where it stands`} onClick={open}>
        <span className={styles.head}>
          <span style={{ color: nodeTextColor(node) }}>
            {node.kind === 'message' ? <MessageName id={id} /> : nodeLabel(node)}
          </span>
          {node.kind === 'message' && <span>{nodeLabel(node)}</span>}
          {FIELDS[field] !== null && <span>{FIELDS[field]}</span>}
          {atMs !== null && <TimeText atMs={atMs} form="short" />}
          {score !== undefined && <Score score={score} />}
        </span>
        <span className={classNames('clamped', styles.text, isCode && styles.code)} dir="auto">
          <Highlighted text={clipped.text} matches={clipped.matches} />
        </span>
        {why !== undefined && <span className={styles.why}>{why}</span>}
      </button>
    </div>
  )
}

function Score({ score }: { readonly score: number }) {
  return (
    <span className={styles.score} title="How much of the claim the passage carries, from 0 to 1">
      <span className={styles.gauge} aria-hidden="true">
        <span style={{ width: `${Math.round(score * 100)}%` }} />
      </span>
      {score.toFixed(2)}
    </span>
  )
}
