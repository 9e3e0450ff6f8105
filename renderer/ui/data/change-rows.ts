import type { Cell, Cells, RowChange } from '#core/contract/repair.ts'

/** A changed row of a table, as it is shown. */
type ChangeRow = {
  readonly sign: '+' | '−' | '~'
  readonly verb: 'added' | 'removed' | 'changed'
  /** `conversation_id 1 · ordinal 2` */
  readonly key: string
  readonly cells: readonly { readonly column: string; readonly before: string | null; readonly after: string | null }[]
}

export type ChangedTable = { readonly table: string; readonly rows: readonly ChangeRow[] }

/** The longest text of a cell, which may hold a whole message. */
const MAX_CELL = 160

/** Returns the changes by table, in their order. */
export function changedTables(changes: readonly RowChange[]): readonly ChangedTable[] {
  const tables = new Map<string, ChangeRow[]>()
  for (const change of changes) {
    const rows = tables.get(change.table) ?? []
    rows.push(toRow(change))
    tables.set(change.table, rows)
  }
  return [...tables].map(([table, rows]) => ({ table, rows }))
}

function toRow({ key, before, after }: RowChange): ChangeRow {
  const columns = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const [sign, verb] =
    before === null
      ? (['+', 'added'] as const)
      : after === null
        ? (['−', 'removed'] as const)
        : (['~', 'changed'] as const)
  return {
    sign,
    verb,
    key: keyText(key),
    cells: columns
      // Columns without information are left out for new and removed rows.
      .filter((column) => (before !== null && after !== null) || isTelling(after ?? before, key, column))
      .map((column) => ({
        column,
        before: before === null ? null : cellText(before[column]),
        after: after === null ? null : cellText(after[column]),
      })),
  }
}

const isTelling = (cells: Cells | null, key: Cells, column: string): boolean =>
  (cells?.[column] ?? null) !== null && !(column in key)

const keyText = (key: Cells): string =>
  Object.entries(key)
    .map(([column, cell]) => `${column} ${cellText(cell)}`)
    .join(' · ')

/** Returns a cell as one line, cut between characters as people see them. */
export function cellText(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return 'null'
  if (typeof cell === 'number') return String(cell)
  const line = cell.replace(/\s+/g, ' ')
  const chars = [...line.slice(0, MAX_CELL * 4)]
  const text = chars.length > MAX_CELL ? `${chars.slice(0, MAX_CELL).join('')}…` : line
  return text === '' ? '“”' : text
}
