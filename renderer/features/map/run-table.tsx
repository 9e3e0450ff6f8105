import { useEffect, useRef } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { MapRun } from '../../../core/contract/map.ts'
import { Chip } from '../../ui/chip.tsx'
import { classNames } from '../../ui/class-names.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { useListKeys } from '../../ui/use-list-keys.ts'
import styles from './map-table.module.css'
import { countsText, operatorText, statusHint, statusTone } from './run-wording.ts'
import { Cell } from './table-cell.tsx'

type Props = {
  /** The newest first. */
  readonly runs: readonly MapRun[]
  readonly chosen: string
  readonly onChoose: (key: string) => void
}

const ROW_PX = 30
/** A few runs take no more room than they need. */
const MOST_ROWS_IN_SIGHT = 8

/** The recorded runs, one of which is selected. */
export function RunTable({ runs, chosen, onChoose }: Props) {
  const list = useRef<VirtuosoHandle>(null)
  const at = runs.findIndex(({ key }) => key === chosen)
  useEffect(() => {
    list.current?.scrollIntoView({ index: at })
  }, [at])
  const go = (index: number): void => {
    const run = runs[Math.min(runs.length - 1, Math.max(0, index))]
    if (run !== undefined) onChoose(run.key)
  }
  useListKeys({
    move: (steps) => go(at + steps),
    start: () => go(0),
    end: () => go(runs.length - 1),
    open: () => undefined,
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: thousands of rows, of which only those in sight exist
    <div role="table" aria-label="Runs" aria-rowcount={runs.length}>
      <Virtuoso
        ref={list}
        className={styles.body}
        style={{ height: Math.min(runs.length, MOST_ROWS_IN_SIGHT) * ROW_PX }}
        role="rowgroup"
        totalCount={runs.length}
        fixedItemHeight={ROW_PX}
        increaseViewportBy={200}
        itemContent={(index) => {
          const run = runs[index]
          return run && <RunRow run={run} index={index} isChosen={run.key === chosen} onChoose={onChoose} />
        }}
      />
    </div>
  )
}

type RowProps = Pick<Props, 'onChoose'> & {
  readonly run: MapRun
  readonly index: number
  readonly isChosen: boolean
}

function RunRow({ run, index, isChosen, onChoose }: RowProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: keys move in the view; the operation is the row's button
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      className={classNames(styles.row, styles.runs, isChosen && styles.chosen)}
      role="row"
      aria-rowindex={index + 1}
      onClick={() => onChoose(run.key)}
    >
      <Cell>
        <Chip tone={statusTone(run.status)} title={statusHint(run)}>
          {run.status}
        </Chip>
      </Cell>
      <Cell>
        <button type="button" className={styles.name} aria-pressed={isChosen} title={operatorText(run)}>
          <bdi>{operatorText(run)}</bdi>
        </button>
      </Cell>
      <Cell>{countsText(run)}</Cell>
      <Cell isDim>{run.actor !== null && <bdi>{run.actor}</bdi>}</Cell>
      <Cell isDim>
        <TimeText atMs={run.atMs} />
      </Cell>
    </div>
  )
}
