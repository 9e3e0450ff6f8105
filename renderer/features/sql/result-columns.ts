import type { SqlAnswer, SqlCell } from '#core/contract/sql.ts'

/** Which columns hold figures only, besides NULL. Their names stand above them, at the right. */
export const figureColumns = ({ columns, rows }: Pick<SqlAnswer, 'columns' | 'rows'>): readonly boolean[] =>
  columns.map((name, column) => {
    const cells = rows.map((row) => row[column] ?? null).filter((cell) => cell !== null)
    return cells.length > 0 && cells.every((cell) => typeof cell === 'number' && idIn(name, cell) === null)
  })

/** A column of numbers of messages, or of ids of summaries. */
export function idIn(name: string, cell: SqlCell): string | null {
  if (name === 'message_id' && typeof cell === 'number' && Number.isInteger(cell)) return `msg_${cell}`
  if (/^(?:source_|parent_)?summary_id$/.test(name) && typeof cell === 'string' && cell !== '') return cell
  return null
}
