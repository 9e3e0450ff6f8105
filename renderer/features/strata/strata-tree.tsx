import { useState } from 'react'
import type { NodeCard } from '#core/contract/lineage.ts'
import { navigate, useRoutePart } from '#renderer/routes.ts'
import { nodeLabel } from '#renderer/ui/depth-color.ts'
import { DepthSwatch } from '#renderer/ui/depth-swatch.tsx'
import { EmptyState } from '#renderer/ui/empty-state.tsx'
import { ErrorState } from '#renderer/ui/error-state.tsx'
import { formatCompression, formatTokens, plural } from '#renderer/ui/format.ts'
import { MarkedText } from '#renderer/ui/marked-text.tsx'
import { FindingMark, NoteMark } from '#renderer/ui/node-marks.tsx'
import tree from '#renderer/ui/tree.module.css'
import { Tree, type TreeLine } from '#renderer/ui/tree.tsx'
import { useName } from '#renderer/ui/use-names.ts'
import styles from './strata-view.module.css'
import { canOpen, pathAbove, type TreeRow } from './tree-rows.ts'
import { useTree } from './use-tree.ts'

type Props = { readonly conversationId: number }

const INDENT_PX = 18

/**
 * The content of the strata and the graph as a tree for keyboard and screen reader. Sources are below their dependents.
 */
export function StrataTree({ conversationId }: Props) {
  const selection = useRoutePart('selection')
  const { rows, error, refetch, toggle, fetchMore } = useTree(conversationId)
  const [currentPath, setCurrentPath] = useState<string | null>(null)
  const selectedAt = rows.findIndex((row) => row.kind === 'node' && row.card.id === selection)
  const found = rows.findIndex(({ path }) => path === currentPath)
  const at = found >= 0 ? found : Math.max(selectedAt, 0)
  const current = rows[at]

  if (error !== null && rows.every(({ kind }) => kind === 'loading'))
    return <ErrorState error={error} onRetry={refetch} />
  if (rows.length === 0)
    return (
      <EmptyState title="No summaries yet">The tree begins with the first compaction of this conversation.</EmptyState>
    )

  const goTo = (index: number) => {
    const row = rows[index]
    if (row === undefined) return
    setCurrentPath(row.path)
    if (row.kind === 'node') navigate({ selection: row.card.id }, 'replace')
  }
  const activate = (row: TreeRow) => {
    if (row.kind === 'more') fetchMore(row.of)
    if (row.kind === 'node') navigate({ view: 'transcript', selection: row.card.id }, 'push')
  }
  const openOrEnter = (row: TreeRow) => {
    if (row.kind !== 'node' || !canOpen(row.card)) return
    if (row.isOpen) goTo(at + 1)
    else toggle(row.path, true)
  }
  const closeOrLeave = (row: TreeRow) => {
    if (row.kind === 'node' && row.isOpen) toggle(row.path, false)
    else goTo(rows.findIndex(({ path }) => path === pathAbove(row.path)))
  }
  const keys: Readonly<Record<string, (row: TreeRow) => void>> = {
    ArrowDown: () => goTo(at + 1),
    j: () => goTo(at + 1),
    ArrowUp: () => goTo(at - 1),
    k: () => goTo(at - 1),
    Home: () => goTo(0),
    End: () => goTo(rows.length - 1),
    ArrowRight: openOrEnter,
    ArrowLeft: closeOrLeave,
    Enter: activate,
    ' ': (row) => (row.kind === 'more' ? activate(row) : goTo(at)),
  }
  const onKey = (key: string): boolean => {
    const handler = keys[key]
    if (handler === undefined) return false
    if (current) handler(current)
    return true
  }

  return (
    <Tree
      label="Summaries and what they stand for"
      rows={rows}
      lineOf={lineOf}
      currentPath={current?.path ?? null}
      isSelected={(row) => row.kind === 'node' && row.card.id === selection}
      indentOf={(level) => 12 + (level - 1) * INDENT_PX}
      onPick={(row) => (row.kind === 'more' ? activate(row) : goTo(rows.indexOf(row)))}
      onToggle={({ path }, isOpen) => toggle(path, isOpen)}
      onKey={onKey}
    >
      {(row) => <StrataTreeRow row={row} />}
    </Tree>
  )
}

const lineOf = (row: TreeRow): TreeLine =>
  row.kind === 'node' ? { ...row, isOpen: canOpen(row.card) ? row.isOpen : undefined } : row

/** What a line of the tree says. */
function StrataTreeRow({ row }: { readonly row: TreeRow }) {
  if (row.kind === 'loading') return <span className={tree.facts}>loading…</span>
  if (row.kind === 'more')
    return <span className={tree.more}>{plural(row.left, 'more node')} not shown: Enter shows them</span>
  return (
    <>
      <DepthSwatch node={row.card} />
      <NodeName id={row.card.id} />
      <FindingMark id={row.card.id} />
      <NoteMark id={row.card.id} />
      <span className={styles.id}>{row.card.id}</span>
      <span className={styles.figures}>{factsOf(row.card)}</span>
    </>
  )
}

function NodeName({ id }: { readonly id: string }) {
  const name = useName(id)
  return (
    <span className={styles.treeName}>
      {name !== null && (
        <bdi>
          <MarkedText text={name} />
        </bdi>
      )}
    </span>
  )
}

function factsOf(card: NodeCard): string {
  const facts = [nodeLabel(card), formatTokens(card.tokens)]
  if (card.kind === 'leaf' || card.kind === 'condensed') {
    facts.push(plural(card.messages, 'message'))
    if (card.sourceTokens && card.tokens > 0) facts.push(formatCompression(card.sourceTokens / card.tokens))
  }
  if (card.visibility === 'in_window') facts.push('in the window')
  return facts.join(' · ')
}
