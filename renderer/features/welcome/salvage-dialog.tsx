import type { SalvagedTable } from '#core/contract/salvage.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/button.tsx'
import { Dialog } from '#renderer/ui/dialog.tsx'
import { ErrorLine } from '#renderer/ui/error-state.tsx'
import { formatBytes, formatCount, plural } from '#renderer/ui/format.ts'
import { JobProgress } from '#renderer/ui/job-progress.tsx'
import table from '#renderer/ui/text-table.module.css'
import { useNewFile } from '#renderer/ui/use-new-file.ts'
import styles from './open-error.module.css'

type Props = { readonly path: string; readonly onClose: () => void }

/** Saves everything readable of a damaged file in a new one, and reports what was not readable. */
export function SalvageDialog({ path, onClose }: Props) {
  const salvage = useNewFile(api.machine.salvage.mutationOptions())
  const report = salvage.job?.result?.kind === 'salvage' ? salvage.job.result.value : null
  return (
    <Dialog
      title="Salvage what can be read"
      width={620}
      onClose={onClose}
      actions={
        report !== null ? (
          <>
            <Button onClick={onClose}>Close</Button>
            <Button look="primary" onClick={salvage.open}>
              Open the salvaged memory
            </Button>
          </>
        ) : (
          <>
            <Button data-autofocus="" onClick={onClose}>
              Close
            </Button>
            <Button look="primary" disabled={salvage.isRunning} onClick={() => salvage.start({ path })}>
              {salvage.error === null ? 'Salvage' : 'Try again'}
            </Button>
          </>
        )
      }
    >
      <div className={styles.body}>
        {report !== null ? (
          <>
            <p>
              {report.isWhole
                ? 'Every row could be read: the damage lies in what is not copied, such as an index.'
                : `What could be read is in a new memory, row by row; ${plural(
                    report.tables.reduce((sum, table) => sum + table.lostRanges, 0),
                    'range',
                    'ranges',
                  )} of rows could not.`}
              {report.byPages &&
                ' Its table of contents is lost: rows were found page by page, and what stood on lost pages cannot be named.'}
              {report.missingBytes > 0 && ` ${formatBytes(report.missingBytes)} are missing at the end of the file.`}
            </p>
            <SalvageTable tables={report.tables} />
            <p className={styles.salvagePath}>{report.to}</p>
          </>
        ) : salvage.isRunning ? (
          <JobProgress job={salvage.job} title="Salvaging…" />
        ) : (
          <p>
            The file is copied and read row by row, passing over what cannot be read. What comes of it is a new native
            memory; the damaged file stays as it is. A report names every range of rows that was lost.
          </p>
        )}
        {salvage.error !== null && <ErrorLine error={salvage.error} />}
      </div>
    </Dialog>
  )
}

const SHOWN = 6

/** Rows saved and ranges lost, table by table. */
function SalvageTable({ tables }: { readonly tables: readonly SalvagedTable[] }) {
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
            <th scope="row" className={styles.salvageName}>
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
