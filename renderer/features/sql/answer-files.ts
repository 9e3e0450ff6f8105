import type { SqlAnswer, SqlCell } from '../../../core/contract/sql.ts'

const textOf = (cell: SqlCell): string => (cell === null ? '' : typeof cell === 'object' ? cell.hex : String(cell))

/** Writes CSV as RFC 4180 says. NULL is an empty field, and bytes are hexadecimal. */
export function toCsv({ columns, rows }: SqlAnswer): string {
  const field = (cell: SqlCell): string => {
    const text = textOf(cell)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('')
}

/** Writes an object for each row. Of columns with the same name the later ones are numbered. */
export function toJson({ columns, rows }: SqlAnswer): string {
  const names = columns.map((name, index) => {
    const before = columns.slice(0, index).filter((other) => other === name).length
    return before === 0 ? name : `${name}:${before}`
  })
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(row.map((cell, index) => [names[index] ?? String(index), cell]))),
    null,
    2,
  )
}
