import { useQueryClient } from '@tanstack/react-query'
import { meaningOf } from '#core/contract/glossary.ts'
import type { GrepHit } from '#core/contract/retrieval.ts'
import { navigate } from '../routes.ts'
import { classNames } from './class-names.ts'
import { type NodeLook, nodeColor, nodeLabel, nodeTextColor } from './depth-color.ts'
import { formatCount, shortenId } from './format.ts'
import { keepFound } from './found-texts.ts'
import { Highlighted } from './highlighted.tsx'
import styles from './source-passage.module.css'
import { TimeText } from './time-text.tsx'

type Props = {
  readonly id: string
  readonly node: NodeLook
  readonly conversationId: number
  readonly seq: number | null
  readonly atMs: number | null
  readonly field: GrepHit['field']
  readonly excerpt: string
  /** Ranges in the excerpt. */
  readonly matches?: readonly (readonly [number, number])[]
  /** From 0 to 1. Undefined when nothing was scored. */
  readonly score?: number
  readonly why?: string
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
  const { id, node, conversationId, seq, atMs, field, excerpt, matches = NO_MATCHES, score, why } = props
  const queries = useQueryClient()
  const isCode = field === 'tool_input' || field === 'tool_output' || node.role === 'tool'
  const clipped = clipPassage(excerpt, matches)
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
          <span className={styles.id} style={{ color: nodeTextColor(node) }}>
            <bdi>{shortenId(id, 18)}</bdi>
          </span>
          <span>{nodeLabel(node)}</span>
          {seq !== null && <span title={meaningOf('seq')}>seq {formatCount(seq)}</span>}
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

/** The context around the matches of a long passage that is kept. */
const AROUND = 160
const LONGEST = 900

type Clipped = {
  readonly text: string
  readonly matches: readonly (readonly [number, number])[]
}

/** Cuts a passage around its matches to a readable length, and moves the matches accordingly. */
export function clipPassage(text: string, matches: readonly (readonly [number, number])[]): Clipped {
  if (text.length <= LONGEST) return { text, matches }
  const first = Math.min(...matches.map(([from]) => from), text.length)
  const start = matches.length === 0 ? 0 : whole(text, Math.max(0, Math.min(first - AROUND, text.length - LONGEST)))
  const end = whole(text, Math.min(text.length, start + LONGEST))
  const head = start > 0 ? '…' : ''
  const shift = head.length - start
  return {
    text: `${head}${text.slice(start, end)}${end < text.length ? '…' : ''}`,
    matches: matches
      .filter(([from, to]) => to > start && from < end)
      .map(([from, to]) => [Math.max(from, start) + shift, Math.min(to, end) + shift] as const),
  }
}

/** Moves an offset out of a surrogate pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at
}

/** Returns the lines of a passage, which can be searched for in the original text. */
export function linesOfPassage(excerpt: string): readonly string[] {
  return excerpt
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length > 3)
}
