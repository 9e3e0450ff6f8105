import type { SqlAnswer, SqlCell } from '#core/contract/sql.ts'
import { IdLink } from '#renderer/ui/nodes/node-link.tsx'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { figureColumns, idIn } from './result-columns.ts'
import styles from './sql-view.module.css'

/** Of a long text, so much is drawn in a cell, and so much in its title. */
const CELL_CHARS = 240
const TITLE_CHARS = 2000

/** The rows of a statement. Ids lead to what they name. */
export function ResultTable({ answer }: { readonly answer: SqlAnswer }) {
  const { columns, rows } = answer
  const areFigures = figureColumns(answer)
  return (
    <table className={styles.rows}>
      <thead>
        <tr>
          <th scope="col" className={styles.number}>
            <span className="unseen">row</span>
          </th>
          {columns.map((name, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name
            <th key={index} scope="col" className={areFigures[index] ? styles.figure : undefined}>
              <MarkedText text={name} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows never change places
          <tr key={index}>
            <td className={styles.number}>{index + 1}</td>
            {row.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name
              <Cell key={column} name={columns[column] ?? ''} cell={cell} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Cell({ name, cell }: { readonly name: string; readonly cell: SqlCell }) {
  const id = idIn(name, cell)
  if (id !== null)
    return (
      <td>
        <IdLink id={id} maxChars={24} />
      </td>
    )
  if (cell === null) return <td className={styles.nothing}>NULL</td>
  if (typeof cell === 'number') return <td className={styles.figure}>{cell}</td>
  const text = typeof cell === 'object' ? `x'${cell.hex}' · ${cell.bytes} bytes` : cell
  const line = text.slice(0, CELL_CHARS).replace(/\s+/g, ' ')
  return (
    <td title={text.slice(0, TITLE_CHARS)}>
      <bdi>
        <MarkedText text={text.length > CELL_CHARS ? `${line}…` : line} />
      </bdi>
    </td>
  )
}
