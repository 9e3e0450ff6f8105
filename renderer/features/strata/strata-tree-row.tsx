import type { NodeCard } from '../../../core/contract/lineage.ts'
import { nodeLabel } from '../../ui/depth-color.ts'
import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import { FindingMark } from '../../ui/finding-mark.tsx'
import { formatCompression, formatTokens, plural } from '../../ui/format.ts'
import { MarkedText } from '../../ui/marked-text.tsx'
import { NoteMark } from '../../ui/note-mark.tsx'
import tree from '../../ui/tree.module.css'
import { useName } from '../../ui/use-names.ts'
import styles from './strata-tree.module.css'
import type { TreeRow } from './tree-rows.ts'

/** What a line of the tree says. */
export function StrataTreeRow({ row }: { readonly row: TreeRow }) {
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
    <span className={styles.name}>
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
