import type { ComparedEntry, Difference } from '#core/contract/comparison.ts'
import { type Column, DataTable } from '#renderer/ui/controls/data-table.tsx'
import { depthColor } from '#renderer/ui/nodes/depth-color.ts'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { withSigns } from '#renderer/ui/texts/hidden-characters.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
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
  return (
    <DataTable
      label="Differences"
      id={DIFFERENCES}
      rows={rows}
      columns={COLUMNS}
      className={styles.differences}
      layout={styles.columns}
      keyOf={({ number }) => number}
      rowPx={28}
      selected={selected}
      onSelect={({ number }) => onSelect(number)}
    />
  )
}

const COLUMNS: readonly Column<NumberedDifference>[] = [
  {
    id: 'difference',
    title: 'difference',
    className: styles.kind,
    cell: ({ difference }) => (
      <>
        <DifferenceSign difference={difference} />
        {kindText(difference.kind, difference.what)}
      </>
    ),
    cellTitle: ({ difference }) => kindText(difference.kind, difference.what),
  },
  {
    id: 'messages',
    title: 'messages',
    className: 'dim',
    cell: ({ difference: { first, last } }) =>
      first === last ? formatCount(first + 1) : `${formatCount(first + 1)}–${formatCount(last + 1)}`,
  },
  ...columnsOf('A', ({ difference }) => difference.a),
  ...columnsOf('B', ({ difference }) => difference.b),
]

/** The three columns of one side. */
function columnsOf(
  side: 'A' | 'B',
  entryOf: (row: NumberedDifference) => ComparedEntry | null,
): readonly Column<NumberedDifference>[] {
  return [
    {
      id: side,
      title: side,
      className: styles.title,
      cell: (row) => <EntryTitle entry={entryOf(row)} />,
      cellTitle: (row) => withSigns(wordsOf(entryOf(row)) ?? ''),
    },
    {
      id: `${side} tokens`,
      title: 'tokens',
      className: styles.tokens,
      cell: (row) => {
        const entry = entryOf(row)
        return entry && formatCount(entry.tokens)
      },
    },
    {
      id: `${side} details`,
      title: 'details kept',
      className: styles.details,
      cell: (row) => <KeptDetails entry={entryOf(row)} />,
    },
  ]
}

const wordsOf = (entry: ComparedEntry | null): string | undefined =>
  entry === null ? undefined : entry.title === '' ? 'without text' : entry.title

function EntryTitle({ entry }: { readonly entry: ComparedEntry | null }) {
  if (entry === null) return '–'
  const { depth, messages } = entry
  const words = wordsOf(entry)
  return (
    <>
      <DepthSwatch node={depth < 0 ? { kind: 'message' } : { kind: depth === 0 ? 'leaf' : 'condensed', depth }} />
      <span dir="auto">
        <MarkedText text={depth < 0 ? `${plural(messages, 'message')}, from “${words}”` : (words ?? '')} />
      </span>
    </>
  )
}

function KeptDetails({ entry }: { readonly entry: ComparedEntry | null }) {
  if (entry === null) return null
  const { kept, details } = entry
  if (kept === null || details === null) return '–'
  return (
    <>
      <span>
        {formatCount(kept)}
        <i>/{formatCount(details)}</i>
      </span>
      <span className={styles.bar} aria-hidden="true">
        <span style={{ width: `${details === 0 ? 0 : (100 * kept) / details}%` }} />
      </span>
    </>
  )
}

/** What a difference is, in words. */
function kindText(kind: Difference['kind'], what: Difference['what']): string {
  if (kind === 'differently') return 'differently'
  const side = kind === 'only_a' ? 'A' : 'B'
  return { summary: `only in ${side}`, window: `in window of ${side}`, messages: `messages of ${side}` }[what]
}

/** The sign of a difference, as its bars are drawn: hatched, or with a dashed edge. */
function DifferenceSign({ difference: { kind, a, b } }: { readonly difference: Difference }) {
  const depth = a?.depth ?? b?.depth ?? 0
  return (
    <span
      className={styles.sign}
      data-kind={kind}
      style={{ color: depth < 0 ? 'var(--control)' : depthColor(depth) }}
      aria-hidden="true"
    />
  )
}

/** What the colours and hatchings of the picture mean. */
export function CompareLegend() {
  return (
    <div className={styles.legend}>
      <span>
        <i className={styles.sign} data-kind="same" /> same
      </span>
      <span>
        <i className={styles.sign} data-kind="differently" style={{ color: 'var(--d1)' }} /> different
      </span>
      <span>
        <i className={styles.sign} data-kind="only_a" style={{ color: 'var(--leaf)' }} /> on one side only
      </span>
      <span>
        <i className={styles.sign} data-kind="more" /> keeps more details
      </span>
    </div>
  )
}
