import type { SalvagedTable } from '../../../core/contract/salvage.ts'
import { formatCount } from '../../ui/format.ts'
import table from '../../ui/text-table.module.css'
import styles from './salvage-dialog.module.css'

const SHOWN = 6

/** Rows saved and ranges lost, table by table. */
export function SalvageTable({ tables }: { readonly tables: readonly SalvagedTable[] }) {
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th scope="col">table</th>
          <th scope="col" className={table.number}>
            rows saved
          </th>
          <th scope="col">lost</th>
        </tr>
      </thead>
      <tbody>
        {tables.map(({ table: name, read, refused, lost, lostRanges }) => (
          <tr key={name}>
            <th scope="row" className={styles.name}>
              {name}
            </th>
            <td className={table.number}>{formatCount(read)}</td>
            <td className={styles.lost}>
              {lostRanges === 0 ? 'nothing' : lost.slice(0, SHOWN).map(rangeText).join(', ')}
              {lostRanges > SHOWN && ` and ${formatCount(lostRanges - SHOWN)} more`}
              {refused > 0 && ` · ${formatCount(refused)} rows make no sense`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const rangeText = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  from === to ? from : `${from} – ${to}`
