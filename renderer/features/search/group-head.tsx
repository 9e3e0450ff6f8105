import { plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import styles from './hit-list.module.css'
import type { Group } from './hit-rows.ts'

type Props = {
  readonly id: string | undefined
  readonly group: Group
  readonly hits: number
  /** There may be more that were not fetched yet. */
  readonly hasMore: boolean
  readonly isFolded: boolean
  readonly isActive: boolean
  /** Name of its conversation. */
  readonly title: string
  /** There are others beside it, from which its conversation tells it apart. */
  readonly isAmongMany: boolean
  readonly onFold: (key: string) => void
}

/** What the hits below have in common, and how many they are. A click folds them. */
export function GroupHead(props: Props) {
  const { id, group, hits, hasMore, isFolded, isActive, title, isAmongMany, onFold } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
    <div id={id} className={styles.groupHead} data-active={isActive} role="row" tabIndex={-1} aria-selected={isActive}>
      {/* biome-ignore lint/a11y/useSemanticElements: see the row */}
      <div className={styles.cell} role="gridcell" tabIndex={-1}>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={!isFolded}
          aria-label={`${isFolded ? 'Unfold' : 'Fold'} ${labelOf(group, title)}`}
          title={`${isFolded ? 'Unfold' : 'Fold'} (c)`}
          onClick={() => onFold(group.key)}
        >
          <Icon name={isFolded ? 'chevronRight' : 'chevronDown'} />
        </button>
        <span className={styles.label}>
          {group.kind === 'conversation' ? (
            <bdi>
              <MarkedText text={title} />
            </bdi>
          ) : (
            <CoverLabel group={group} />
          )}
        </span>
        <span className={styles.count}>
          {plural(hits, 'hit')}
          {hasMore && ' listed'}
        </span>
        {group.kind !== 'conversation' && isAmongMany && (
          <span className={styles.of}>
            <bdi>
              <MarkedText text={title} />
            </bdi>
          </span>
        )}
      </div>
    </div>
  )
}

function CoverLabel({ group }: { readonly group: Exclude<Group, { kind: 'conversation' }> }) {
  switch (group.kind) {
    case 'cover':
      return (
        <>
          covered by <NodeLink id={group.id} maxChars={24} conversationId={group.conversationId} view="strata" />
        </>
      )
    case 'window':
      return 'In the window themselves'
    case 'unseen':
      return 'Not in the window, and covered by nothing there'
    case 'files':
      return 'Files'
  }
}

function labelOf(group: Group, title: string): string {
  return group.kind === 'cover' ? group.id : group.kind === 'conversation' ? title : group.kind
}
