import { Fragment, memo } from 'react'
import type { GrepHit } from '#core/contract/retrieval.ts'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { nodeLabel, nodeTextColor } from '#renderer/ui/nodes/depth-color.ts'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { NodeName } from '#renderer/ui/nodes/node-name.tsx'
import { StateMark } from '#renderer/ui/parts/state-mark.tsx'
import { formatCount } from '#renderer/ui/texts/format.ts'
import { Highlighted } from '#renderer/ui/texts/highlighted.tsx'
import { readable } from '#renderer/ui/texts/readable-passage.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './hit-list.module.css'
import type { HitState } from './hit-states.ts'
import { viewOf } from './use-active-row.ts'

type Props = {
  readonly hit: GrepHit
  /** The index among the lines that the arrow keys reach. */
  readonly stop: number
  readonly isActive: boolean
  /** What became of it in the window. */
  readonly state: HitState | 'tracing' | 'untraced'
  readonly onSelect: (stop: number) => void
  readonly onOpen: (stop: number) => void
}

const FIELDS = {
  content: '',
  tool_input: 'in the tool’s input',
  tool_output: 'in the tool’s output',
  reasoning: 'in the reasoning',
} as const
const MAX_COVERS = 2

/** One hit: role, time, the summaries that cover it, and the passage. */
export const HitRow = memo(function HitRow({ hit, stop, isActive, state, onSelect, onOpen }: Props) {
  const look = { kind: hit.kind, role: hit.role, depth: hit.depth } as const
  const isCode =
    hit.field === 'tool_input' || hit.field === 'tool_output' || hit.role === 'tool' || hit.line !== undefined
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys and Enter of the search field do the same
    <div
      id={`hit-${stop}`}
      data-node={hit.id}
      className={classNames(styles.hit, isActive && styles.active)}
      role="row"
      tabIndex={-1}
      aria-selected={isActive}
      onClick={() => onSelect(stop)}
      onDoubleClick={() => {
        // The browser has selected a word, and would select all of the next view.
        window.getSelection()?.removeAllRanges()
        onOpen(stop)
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the row */}
      <div role="gridcell" tabIndex={-1}>
        <span className={styles.window} data-in={hit.inContext} title={windowTitle(hit)} />
        <div className={styles.head}>
          <DepthSwatch node={look} />
          <span className={styles.kind} style={{ color: nodeTextColor(look) }}>
            {nodeLabel(look)}
          </span>
          <span className={styles.id} title={hit.id}>
            {hit.kind === 'file' ? hit.id : <NodeName id={hit.id} />}
          </span>
          {hit.line !== undefined && <span>line {formatCount(hit.line)}</span>}
          {FIELDS[hit.field] !== '' && <span>{FIELDS[hit.field]}</span>}
          {hit.isPruned && <Chip title="Its agent took the text out of the window by itself">pruned</Chip>}
          {hit.isPartial && <Chip title={partTitle(hit)}>{isInOtherWords(hit) ? 'other words' : 'some words'}</Chip>}
          {hit.ranking && (
            <span className={styles.score} title={rankTitle(hit.ranking)}>
              score {formatScore(scoreOf(hit.ranking))}
            </span>
          )}
          {hit.kind !== 'file' && <State state={state} />}
          <Covers hit={hit} />
          {isActive && (
            <span className={styles.open}>
              <Kbd>↵</Kbd> {viewOf(hit)}
            </span>
          )}
          <span className={styles.time}>
            <TimeText atMs={hit.createdAtMs} form="short" />
          </span>
        </div>
        <Snippet text={hit.snippet} matches={hit.matches} isCode={isCode} isJson={hit.field === 'tool_input'} />
      </div>
    </div>
  )
})

type Ranking = NonNullable<GrepHit['ranking']>

/** What became of a hit in the window. Nothing is said of it while it is being traced. */
function State({ state }: Pick<Props, 'state'>) {
  if (state === 'untraced')
    return (
      <span className={styles.pending} title="It could not be traced, or it stands too far down the list.">
        not traced
      </span>
    )
  if (state === 'tracing')
    return (
      <span className={styles.pending} title="What became of it in the window is being traced">
        …
      </span>
    )
  return <StateMark state={state.state} />
}

const formatScore = (score: number): string => score.toFixed(1)

const scoreOf = ({ words, meaning = 0, neighbours, summary }: Ranking): number => words + meaning + neighbours + summary

/** Found by what it says: it has none of the words. */
const isInOtherWords = ({ words, ranking }: GrepHit): boolean => words?.length === 0 && (ranking?.meaning ?? 0) > 0

function partTitle(hit: GrepHit): string {
  if (isInOtherWords(hit)) return 'Has none of the words: found because it says something alike'
  const { words = [] } = hit
  return words.length === 0 ? 'Found by some of the words, not by all of them' : `Has only: ${words.join(', ')}`
}

function rankTitle({ words, meaning, neighbours, summary, hasAll }: Ranking): string {
  const parts = [
    `its words ${formatScore(words)}`,
    meaning === undefined ? null : `what it says ${formatScore(meaning)}`,
    neighbours > 0 ? `its neighbours ${formatScore(neighbours)}` : null,
    summary > 0 ? `its summary ${formatScore(summary)}` : null,
  ]
  const sum = parts.filter((part) => part !== null).join(' + ')
  return `Why it stands here: ${sum}${hasAll ? '. It has all the words, so it comes before those with some' : ''}`
}

function coversTitle({ coveredBy, coverInWindow, isSeenInCover }: GrepHit): string | undefined {
  if (coveredBy.length === 0) return undefined
  const covers = `Covered by ${coveredBy.join(', ')}`
  if (coverInWindow === null) return `${covers}. None of them is in the window`
  return isSeenInCover
    ? `${covers}. The text of ${coverInWindow} contains the words as well`
    : `${covers}. ${coverInWindow} is in the window, but its text does not contain the words`
}

function windowTitle({ inContext, isPruned }: GrepHit): string {
  if (inContext) return 'In the window itself'
  return isPruned ? 'Not in the window any more: its agent has pruned the text' : 'Not in the window itself'
}

/** The summaries that cover the hit, nearest first; `seen in` only when the summary contains the found text. */
function Covers({ hit }: { readonly hit: GrepHit }) {
  const { coveredBy, coverInWindow, isSeenInCover, inContext, isPruned, conversationId, kind } = hit
  if (kind === 'file') return <span className={styles.covers} />
  const shown = [...new Set([...(coverInWindow === null ? [] : [coverInWindow]), ...coveredBy])].slice(0, MAX_COVERS)
  const left = coveredBy.length - shown.length
  const words =
    coverInWindow !== null
      ? isSeenInCover
        ? 'seen in'
        : 'covered by'
      : coveredBy.length > 0
        ? 'under'
        : inContext || isPruned
          ? ''
          : 'out of reach'
  return (
    <span className={styles.covers} title={coversTitle(hit)}>
      <span className={styles.named}>
        {words !== '' && <span>{words}</span>}
        {shown.map((id, index) => (
          <Fragment key={id}>
            {index > 0 && coverInWindow !== null && <span className={styles.second}>under</span>}
            <span className={classNames(styles.cover, index > 0 && styles.second)}>
              <NodeLink id={id} maxChars={12} conversationId={conversationId} view="layers" />
            </span>
          </Fragment>
        ))}
        {left > 0 && <span className={shown.length > 1 ? styles.withSecond : undefined}>+{left}</span>}
        {shown.length > 1 && <span className={styles.withoutSecond}>+{left + 1}</span>}
      </span>
    </span>
  )
}

type SnippetProps = {
  readonly text: string
  /** UTF-16 ranges, end exclusive. */
  readonly matches: readonly (readonly [number, number])[]
  readonly isCode: boolean
  readonly isJson: boolean
}

/** A passage with its matches marked. */
function Snippet({ text, matches, isCode, isJson }: SnippetProps) {
  const shown = readable({ text, matches }, isJson ? 'json' : isCode ? 'code' : 'prose')
  return (
    <p className={classNames('clamped', isCode && styles.code)} dir="auto">
      <Highlighted {...shown} />
    </p>
  )
}
