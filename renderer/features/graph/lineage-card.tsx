import type { NodeProps } from '@xyflow/react'
import { type MouseEvent, use } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { nodeColor } from '../../ui/depth-color.ts'
import { plural, shortenId } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { NodeIdText } from '../../ui/node-id-text.tsx'
import { FindingMark, NoteMark } from '../../ui/node-marks.tsx'
import { useName } from '../../ui/use-names.ts'
import { cardFacts } from './card-text.ts'
import type { CardNode } from './flow.ts'
import { GraphActions } from './graph-actions.ts'
import styles from './lineage-graph.module.css'

/** A node of the lineage: its name, its id, what it covers, and a button for its sources while they are hidden. */
export function LineageCard({
  data: { card, isCentre, hiddenSources, hiddenDependents },
  selected,
}: NodeProps<CardNode>) {
  const { expand, centre } = use(GraphActions)
  const name = useName(card.id)
  return (
    <div
      className={classNames(
        styles.card,
        isCentre && styles.centre,
        selected && styles.selected,
        card.kind === 'missing' && styles.missing,
      )}
      style={{ borderLeftColor: card.kind === 'missing' ? 'var(--error)' : nodeColor(card) }}
      title={name === null ? card.id : `${name}\n${card.id}`}
    >
      <div className={styles.title}>
        <FindingMark id={card.id} />
        <NoteMark id={card.id} />
        <span className={styles.name}>
          <bdi>
            <MarkedText text={name ?? shortenId(card.id, 22)} />
          </bdi>
        </span>
        {card.visibility === 'in_window' && (
          <span className={styles.lit} title="in the window" role="img" aria-label="in the window" />
        )}
      </div>
      <div className={styles.facts}>
        {name !== null && <NodeIdText id={card.id} maxChars={11} />}
        <span>{cardFacts(card)}</span>
      </div>
      {hiddenSources > 0 && (
        <OpenButton
          className={styles.below}
          label={`Show ${plural(hiddenSources, card.kind === 'leaf' ? 'message' : 'source')} of ${card.id} (E)`}
          onOpen={() => expand(card.id)}
        />
      )}
      {hiddenDependents > 0 && (
        <OpenButton
          className={styles.above}
          label={`Show ${plural(hiddenDependents, 'dependent')} of ${card.id}`}
          onOpen={() => centre(card.id)}
        />
      )}
    </div>
  )
}

type OpenProps = { readonly className: string | undefined; readonly label: string; readonly onOpen: () => void }

/** A small button on the edge of a card. The keys of the graph do the same. */
function OpenButton({ className, label, onOpen }: OpenProps) {
  const open = (event: MouseEvent) => {
    // Without this the click would also select the card.
    event.stopPropagation()
    onOpen()
  }
  return (
    <button
      type="button"
      tabIndex={-1}
      className={classNames(styles.open, className)}
      title={label}
      aria-label={label}
      onClick={open}
    >
      <Icon name="chevronDown" />
    </button>
  )
}
