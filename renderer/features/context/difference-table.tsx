import { useMemo } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { ContextDifference } from '../../../core/contract/time-travel.ts'
import { useRoute } from '../../routes.ts'
import { classNames } from '../../ui/class-names.ts'
import { DifferenceLine } from './difference-line.tsx'
import { differenceRows } from './difference-rows.ts'
import styles from './difference-table.module.css'
import { replacementsOf } from './replacements.ts'
import type { Time } from './use-time.ts'
import table from './window-table.module.css'

type Props = {
  readonly difference: ContextDifference
  readonly time: Time
  readonly opened: ReadonlySet<string>
  readonly onToggle: (key: string) => void
}

const ROW_PX = 27

/** The items that entered the window, and below each the items that it replaced. */
export function DifferenceTable({ difference, time, opened, onToggle }: Props) {
  const { selection } = useRoute()
  const replacements = useMemo(() => replacementsOf(difference), [difference])
  const rows = useMemo(
    () => differenceRows(replacements, time.timeline, time.runSteps, opened),
    [replacements, time, opened],
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: thousands of rows, of which only those in sight exist
    <div className={table.table} role="table" aria-label="Items that came in and left" aria-rowcount={rows.length + 1}>
      {/* biome-ignore lint/a11y/useSemanticElements: see the table */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: heads are not sorted */}
      <div className={classNames(table.head, styles.columns)} role="row" aria-rowindex={1}>
        {['change', 'kind', 'content', 'id', 'tokens', 'why'].map((name) => (
          // biome-ignore lint/a11y/useSemanticElements: see the table
          // biome-ignore lint/a11y/useFocusableInteractive: see the row
          <span key={name} role="columnheader" className={name === 'tokens' ? table.number : undefined}>
            {name === 'change' ? <span className="unseen">change</span> : name}
          </span>
        ))}
      </div>
      <Virtuoso
        className={table.body}
        role="rowgroup"
        data={rows}
        fixedItemHeight={ROW_PX}
        increaseViewportBy={200}
        computeItemKey={(_, row) => row.key}
        itemContent={(index, row) => (
          <DifferenceLine row={row} index={index} selection={selection} onToggle={onToggle} />
        )}
      />
    </div>
  )
}
