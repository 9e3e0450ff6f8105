import type { Neighbourhood, NodeCard } from '../../../core/contract/lineage.ts'
import { nodeTextColor } from '../../ui/depth-color.ts'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { Menu } from '../../ui/menu.tsx'
import { NodeIdText } from '../../ui/node-id-text.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useName } from '../../ui/use-names.ts'
import { countsText } from './card-text.ts'
import { toDot, toJson, toMermaid } from './graph-export.ts'
import styles from './lineage-header.module.css'

type Props = {
  readonly card: NodeCard | null
  readonly neighbourhood: Neighbourhood | undefined
  readonly onStep: (direction: 'sources' | 'dependents') => void
  readonly onExpand: () => void
  readonly onFit: () => void
}

/** The selected node, its numbers, and the keys that lead on from it. */
export function LineageHeader({ card, neighbourhood, onStep, onExpand, onFit }: Props) {
  const name = useName(card?.id ?? null)
  return (
    <header className={styles.header}>
      <h2 className={styles.title}>Lineage</h2>
      {card && (
        <>
          {name !== null && (
            <span className={styles.name} style={{ color: nodeTextColor(card) }} title={name}>
              <bdi>
                <MarkedText text={name} />
              </bdi>
            </span>
          )}
          <NodeIdText id={card.id} maxChars={13} />
          <span className={styles.counts}>{countsText(card)}</span>
        </>
      )}
      <span className={styles.keys}>
        <button type="button" className={styles.key} onClick={() => onStep('sources')}>
          <Kbd>←</Kbd> sources
        </button>
        <button type="button" className={styles.key} onClick={() => onStep('dependents')}>
          <Kbd>→</Kbd> dependents
        </button>
        <button type="button" className={styles.key} onClick={onExpand}>
          <Kbd>E</Kbd> expand
        </button>
      </span>
      {neighbourhood && (
        <>
          <IconButton icon="fit" label="Show all of the graph" onClick={onFit} />
          <ExportMenu neighbourhood={neighbourhood} />
        </>
      )}
    </header>
  )
}

function ExportMenu({ neighbourhood }: { readonly neighbourhood: Neighbourhood }) {
  const save = (ending: string, type: string, text: string) =>
    // An id may contain characters that a file name must not have.
    saveFile(
      `lineage-${neighbourhood.focus.replace(/[^\w.-]+/g, '_').slice(0, 64)}.${ending}`,
      new Blob([text], { type }),
    )
  return (
    <Menu
      label="Save what is shown"
      items={[
        { label: 'Mermaid', onSelect: () => save('mmd', 'text/plain', toMermaid(neighbourhood)) },
        { label: 'Graphviz DOT', onSelect: () => save('dot', 'text/vnd.graphviz', toDot(neighbourhood)) },
        { label: 'JSON', onSelect: () => save('json', 'application/json', toJson(neighbourhood)) },
      ]}
    >
      <Icon name="download" />
    </Menu>
  )
}
