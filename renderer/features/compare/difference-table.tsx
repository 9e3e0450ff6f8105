import { useEffect, useRef } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { ComparedEntry, Difference } from '../../../core/contract/comparison.ts'
import { classNames } from '../../ui/class-names.ts'
import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { DifferenceSign, kindText } from './difference-sign.tsx'
import styles from './difference-table.module.css'

/** A difference with its number in the whole list, from 1. */
export type NumberedDifference = { readonly number: number; readonly difference: Difference }

type Props = {
  readonly rows: readonly NumberedDifference[]
  readonly selected: number | null
  readonly onSelect: (number: number) => void
}

export const DIFFERENCES = 'differences'

/** Where the two sides differ, by place. */
export function DifferenceTable({ rows, selected, onSelect }: Props) {
  const list = useRef<VirtuosoHandle>(null)
  const index = rows.findIndex(({ number }) => number === selected)
  useEffect(() => {
    if (index >= 0) list.current?.scrollIntoView({ index })
  }, [index])
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
    <div
      className={styles.table}
      role="grid"
      id={DIFFERENCES}
      aria-label="Differences"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={index < 0 ? undefined : `difference-${selected}`}
      tabIndex={-1}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: there is nothing to press in it */}
      <div role="row" className={classNames(styles.row, styles.head)}>
        {['difference', 'messages', 'A', 'tokens', 'details kept', 'B', 'tokens', 'details kept'].map(
          (label, column) => (
            // biome-ignore lint/a11y/useSemanticElements: see the grid
            // biome-ignore lint/a11y/useFocusableInteractive: see the row
            // biome-ignore lint/suspicious/noArrayIndexKey: columns never change places
            <div key={column} role="columnheader" className={CELLS[column]}>
              {label}
            </div>
          ),
        )}
      </div>
      <Virtuoso
        ref={list}
        className={styles.rows}
        role="rowgroup"
        data={rows}
        computeItemKey={(_, { number }) => number}
        increaseViewportBy={200}
        tabIndex={-1}
        itemContent={(_, row) => <Row row={row} isSelected={row.number === selected} onSelect={onSelect} />}
      />
    </div>
  )
}

const CELLS = [
  styles.kind,
  styles.place,
  styles.title,
  styles.tokens,
  styles.details,
  styles.title,
  styles.tokens,
  styles.details,
]

type RowProps = Pick<Props, 'onSelect'> & { readonly row: NumberedDifference; readonly isSelected: boolean }

function Row({ row: { number, difference }, isSelected, onSelect }: RowProps) {
  const { kind, what, first, last, a, b } = difference
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k do the same
    <div
      id={`difference-${number}`}
      role="row"
      className={classNames(styles.row, styles.difference, isSelected && styles.selected)}
      aria-selected={isSelected}
      tabIndex={-1}
      onClick={() => onSelect(number)}
    >
      <Cell name={styles.kind} title={kindText(kind, what)}>
        <DifferenceSign difference={difference} />
        {kindText(kind, what)}
      </Cell>
      <Cell name={styles.place}>
        {first === last ? formatCount(first + 1) : `${formatCount(first + 1)}–${formatCount(last + 1)}`}
      </Cell>
      <Entry entry={a} />
      <Entry entry={b} />
    </div>
  )
}

function Entry({ entry }: { readonly entry: ComparedEntry | null }) {
  if (entry === null)
    return (
      <>
        <Cell name={styles.title}>–</Cell>
        <Cell name={styles.tokens}>{null}</Cell>
        <Cell name={styles.details}>{null}</Cell>
      </>
    )
  const { depth, title, tokens, kept, details, messages } = entry
  const words = title === '' ? 'without text' : title
  return (
    <>
      <Cell name={styles.title} title={words}>
        <DepthSwatch node={depth < 0 ? { kind: 'message' } : { kind: depth === 0 ? 'leaf' : 'condensed', depth }} />
        <span dir="auto">{depth < 0 ? `${plural(messages, 'message')}, from “${words}”` : words}</span>
      </Cell>
      <Cell name={styles.tokens}>{formatCount(tokens)}</Cell>
      <Cell name={styles.details}>
        {kept === null || details === null ? (
          '–'
        ) : (
          <>
            <span>
              {formatCount(kept)}
              <i>/{formatCount(details)}</i>
            </span>
            <span className={styles.bar} aria-hidden="true">
              <span style={{ width: `${details === 0 ? 0 : (100 * kept) / details}%` }} />
            </span>
          </>
        )}
      </Cell>
    </>
  )
}

type CellProps = {
  readonly name: string | undefined
  readonly title?: string | undefined
  readonly children: React.ReactNode
}

function Cell({ name, title, children }: CellProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the row
    <div role="gridcell" tabIndex={-1} className={name} title={title}>
      {children}
    </div>
  )
}
