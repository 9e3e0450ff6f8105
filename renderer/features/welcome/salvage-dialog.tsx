import type { SalvagedTable } from '#core/contract/salvage.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { useNewFile } from '#renderer/ui/states/use-new-file.ts'
import table from '#renderer/ui/styles/text-table.module.css'
import { formatCount } from '#renderer/ui/texts/format.ts'
import styles from './open-error.module.css'
import { lostText, salvageText } from './salvage-text.ts'

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
            <p>{salvageText(report)}</p>
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
        {tables.map((rows) => (
          <tr key={rows.table}>
            <th scope="row" className={styles.salvageName}>
              {rows.table}
            </th>
            <td className={table.number}>{formatCount(rows.read)}</td>
            <td className={styles.lost}>{lostText(rows)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
