import type { StorageObject } from '../../../core/contract/storage.ts'
import { classNames } from '../../ui/class-names.ts'
import figures from '../../ui/figure-table.module.css'
import { formatBytes, formatCount, formatPercent } from '../../ui/format.ts'
import { lookOf, storageRows } from './storage-rows.ts'
import styles from './storage-view.module.css'

type Props = { readonly objects: readonly StorageObject[]; readonly fileBytes: number }

/** Every table with its indexes below it, with bars to scale. */
export function StorageTable({ objects, fileBytes }: Props) {
  const rows = storageRows(objects)
  const most = rows.reduce((max, { bytes }) => Math.max(max, bytes), 1)
  return (
    <table className={classNames(figures.table, styles.table)}>
      <thead>
        <tr>
          <th scope="col">name</th>
          <th scope="col">what it is</th>
          <th scope="col">rows</th>
          <th scope="col">bytes</th>
          <th scope="col">share</th>
          <th scope="col">unused</th>
          <th scope="col" className={styles.wide}>
            <span className="unseen">bytes, drawn</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const use = lookOf(row.kind)
          return (
            <tr key={row.name}>
              <td className={classNames(styles.name, row.isPart && styles.part)} title={row.name}>
                <bdi>{row.name}</bdi>
              </td>
              <td className={styles.kind}>{KIND_TEXTS[row.kind]}</td>
              <td>{row.rows === null ? '' : formatCount(row.rows)}</td>
              <td
                title={
                  row.wholeBytes > row.bytes ? `${formatBytes(row.wholeBytes)} with what belongs to it` : undefined
                }
              >
                {formatBytes(row.bytes)}
              </td>
              <td>{formatPercent(row.bytes / Math.max(1, fileBytes))}</td>
              <td className={styles.dim}>{formatBytes(row.unusedBytes)}</td>
              <td className={styles.wide}>
                <span
                  className={figures.bar}
                  style={{ width: `${(row.bytes / most) * 100}%`, background: use?.color }}
                />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

const KIND_TEXTS: Readonly<Record<StorageObject['kind'], string>> = {
  table: 'table',
  index: 'index',
  search_index: 'full-text index',
  search_text: 'text for search',
  system: 'SQLite’s own',
}
