import type { ChangedTable } from '../data/change-rows.ts'
import { MarkedText } from '../texts/marked-text.tsx'
import styles from './change-table.module.css'

/** The changed rows of one table, before → after. */
export function ChangeTable({ table, rows }: ChangedTable) {
  return (
    <section className={styles.table} aria-label={table}>
      <h3 className={styles.name}>{table}</h3>
      <ul>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are fixed, and two may have the same key
          <li key={index} className={styles.row}>
            <span className={styles.sign} data-verb={row.verb} role="img" aria-label={row.verb}>
              {row.sign}
            </span>
            <div className={styles.cells} dir="auto">
              {row.key !== '' && <span className={styles.key}>{row.key}</span>}
              {row.cells.map(({ column, before, after }) => (
                <span key={column} className={styles.cell}>
                  <span className={styles.key}>{column}</span>{' '}
                  {before !== null && (
                    <bdi className={after === null ? styles.gone : undefined}>
                      <MarkedText text={before} />
                    </bdi>
                  )}
                  {before !== null && after !== null && <span className={styles.key}> → </span>}
                  {after !== null && (
                    <bdi>
                      <MarkedText text={after} />
                    </bdi>
                  )}
                </span>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
