import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Description, LineageTree } from '#core/contract/lineage.ts'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { nodeLabel, nodeTextColor } from '#renderer/ui/nodes/depth-color.ts'
import { NodeIdText } from '#renderer/ui/nodes/node-id-text.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { useMessageText, useName } from '#renderer/ui/nodes/use-names.ts'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { pathDown } from './lineage-rows.ts'
import styles from './lineage-view.module.css'

/** The fetched part of a summary's text, for the pane of passages. */
export type SummaryText = {
  readonly summaryId: string
  readonly content: string
  /** The length of the whole text. `content` may be only its beginning. */
  readonly contentChars: number
  /** Fetches what `content` lacks. */
  readonly onMore: () => void
}

type Props = {
  readonly id: string
  readonly renderText: (text: SummaryText) => ReactNode
  readonly onStep: (direction: 'sources' | 'dependents') => void
}

const ALL_CHARS = 50_000_000
const NONE: readonly LineageTree[] = []

/** The selected node: its path from the window, and its text. */
export function NodePane({ id, renderText, onStep }: Props) {
  const [isWholeWanted, setWholeWanted] = useState(false)
  const description = useQuery(api.retrieval.describe.queryOptions({ input: { id } }))
  const whole = useQuery({
    ...api.retrieval.describe.queryOptions({ input: { id, contentChars: ALL_CHARS } }),
    enabled: isWholeWanted && description.data?.isCut === true,
  })
  const lineage = useQuery(api.lineage.of.queryOptions({ input: { id } }))
  const node = whole.data ?? description.data
  const name = useName(id)
  const number = useMessageText(id)
  if (description.error) return <Missing id={id} error={description.error} />
  if (node === undefined) return <Loading what={id} lines={8} />
  const isSummary = node.kind === 'leaf' || node.kind === 'condensed'
  return (
    <>
      <header className={styles.head}>
        <div className={styles.name}>
          {name !== null && (
            <h2 className={classNames('clamped', styles.title)} style={{ color: nodeTextColor(node) }} dir="auto">
              <bdi>
                <MarkedText text={name} />
              </bdi>
            </h2>
          )}
          <NodeIdText id={id} label={isSummary ? nodeLabel(node) : number} />
          {isSummary && (
            <span className="dim">
              {plural(node.sourceCount, 'source')} · {plural(node.dependents.length, 'dependent')} ·{' '}
              {formatCount(node.messages ?? 0)} messages
            </span>
          )}
        </div>
        <div className={styles.place}>
          <Crumbs description={node} path={pathDown(lineage.data?.dependents ?? NONE, node.coverInWindow)} />
          <span className={styles.keys}>
            <button type="button" onClick={() => onStep('sources')}>
              <Kbd>←</Kbd> sources
            </button>
            <button type="button" onClick={() => onStep('dependents')}>
              <Kbd>→</Kbd> dependents
            </button>
            {isSummary && (
              <span>
                <Kbd>n</Kbd> <Kbd>p</Kbd> sentences
              </span>
            )}
          </span>
        </div>
      </header>
      {isSummary ? (
        renderText({
          summaryId: id,
          content: node.content,
          contentChars: node.contentChars,
          onMore: () => setWholeWanted(true),
        })
      ) : (
        <CoveringList description={node} />
      )}
    </>
  )
}

function Missing({ id, error }: { readonly id: string; readonly error: unknown }) {
  return (
    <div className={styles.missing}>
      <NodeIdText id={id} maxChars={40} />
      <p>{toErrorInfo(error).message}</p>
      <p className="dim">Where it is named, the tree on the left shows who rests on it.</p>
    </div>
  )
}

type CrumbsProps = {
  readonly description: Description
  /** The nodes from the window down to the node, without the node itself. */
  readonly path: readonly LineageTree[]
}

/** Longer paths are shown by both ends. */
const MOST = 5

/** Shows the path from the window through the covering summaries down to the node. */
function Crumbs({ description, path }: CrumbsProps) {
  const { visibility, contextOrdinal, inContext } = description
  const hidden = Math.max(0, path.length - MOST)
  const shown = hidden === 0 ? path : [...path.slice(0, 2), ...path.slice(2 + hidden)]
  return (
    <nav className={styles.crumbs} aria-label="Where it stands in the window">
      <span className={styles.end} data-visibility={visibility}>
        {visibility === 'absent' ? 'not in the window' : 'window'}
        {inContext && contextOrdinal !== null && ` #${formatCount(contextOrdinal)}`}
      </span>
      {!inContext &&
        shown.map((tree, index) => (
          <span key={tree.id} className={styles.crumb}>
            <span aria-hidden="true">›</span>
            {hidden > 0 && index === 2 && <span>… {hidden} more ›</span>}
            <NodeLink id={tree.id} node={tree} maxChars={14} />
          </span>
        ))}
    </nav>
  )
}

const MOST_LISTED = 200

/** Every summary that covers a message, the nearest first, and which of them is in the window in its place. */
function CoveringList({ description }: { readonly description: Description }) {
  const { coveredBy, coverInWindow, inContext, content, kind } = description
  return (
    <div className={styles.covering}>
      <SectionHeading>{plural(coveredBy.length, 'summary', 'summaries')} stand for it</SectionHeading>
      {coveredBy.length === 0 && (
        <p className="dim">
          {inContext ? 'None: it is in the window itself.' : 'None, and it is not in the window either.'}
        </p>
      )}
      <ul className={styles.list}>
        {coveredBy.slice(0, MOST_LISTED).map((id) => (
          <li key={id}>
            <NodeLink id={id} maxChars={28} />
            {id === coverInWindow && <span className={styles.lit}>in the window</span>}
          </li>
        ))}
      </ul>
      {coveredBy.length > MOST_LISTED && <p className="dim">and {plural(coveredBy.length - MOST_LISTED, 'more')}</p>}
      <SectionHeading>{kind === 'message' ? 'Message' : 'Text'}</SectionHeading>
      <p className={styles.text} dir="auto">
        {content.slice(0, 4000)}
        {content.length > 4000 && '…'}
      </p>
      {kind === 'message' && (
        <p className="dim">Only summaries rest on sources. Select one of them to see what it made of the message.</p>
      )}
    </div>
  )
}
