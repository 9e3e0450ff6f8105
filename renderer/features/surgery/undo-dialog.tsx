import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { Backup } from '#core/contract/repair.ts'
import type { SurgeryEvent, UndoResult } from '#core/contract/surgery.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { useJob } from '#renderer/ui/data/use-job.ts'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { ErrorLine, ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import table from '#renderer/ui/styles/text-table.module.css'
import { fileNameOf, formatBytes, formatCount, plural } from '#renderer/ui/texts/format.ts'
import { PathText } from '#renderer/ui/texts/path-text.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './surgery-dialog.module.css'

type Props = {
  readonly info: MemoryInfo
  /** The backup to select, or null for the list. */
  readonly backup: string | null
  readonly onClose: () => void
}

/** The backups of a file, any of which can be restored. */
export function UndoDialog({ info, backup, onClose }: Props) {
  const [path, setPath] = useState(backup)
  const backups = useQuery(api.surgery.backups.queryOptions())
  const undo = useJob()
  const chosen = backups.data?.find((one) => one.path === path) ?? null
  const result = undo.job?.result?.kind === 'undo' ? undo.job.result.value : null
  return (
    <Dialog
      title={result !== null ? 'Restored' : chosen !== null ? 'Restore this backup?' : 'Backups'}
      width={680}
      onClose={onClose}
      actions={
        result === null && chosen !== null ? (
          <>
            <Button data-autofocus="" onClick={onClose}>
              Leave it as it is
            </Button>
            <Button disabled={undo.isRunning} onClick={() => setPath(null)}>
              All backups
            </Button>
            <Button
              look="danger"
              disabled={undo.isRunning || info.readOnly}
              onClick={() => undo.start({ kind: 'undo', backup: chosen.path })}
            >
              Restore
            </Button>
          </>
        ) : (
          <Button data-autofocus="" onClick={onClose}>
            Close
          </Button>
        )
      }
    >
      <div className={styles.body}>
        {result !== null ? (
          <Restored result={result} />
        ) : backups.error ? (
          <ErrorState error={backups.error} onRetry={() => void backups.refetch()} />
        ) : backups.data === undefined ? (
          <Loading what="backups" />
        ) : chosen === null ? (
          <BackupTable backups={backups.data} onRestore={info.readOnly ? null : setPath} />
        ) : (
          <>
            <Facts>
              <Fact name="file">
                <code className={styles.path}>{info.path}</code>
              </Fact>
              <Fact name="backup">
                <code className={styles.path}>{chosen.path}</code>
              </Fact>
              <Fact name="made">
                <TimeText atMs={chosen.atMs} /> · {formatBytes(chosen.bytes)}
              </Fact>
            </Facts>
            <p>
              Summaries, their links and the windows become what they were in the backup. Messages that came since stay,
              and are in their windows; what was summarised since is not summarised any more.
            </p>
            <p className="dim">
              The file as it is now is backed up first, so that this can be undone as well. Close agents that write to
              it.
            </p>
            {undo.isRunning && <JobProgress job={undo.job} title="Restoring…" />}
            {undo.error !== null && <ErrorLine error={undo.error} />}
            {undo.job?.state === 'cancelled' && <p className="dim">Cancelled: nothing was changed.</p>}
          </>
        )}
      </div>
    </Dialog>
  )
}

function Restored({ result }: { readonly result: UndoResult }) {
  const rows = Object.entries(result.rows).filter(([, count]) => count > 0)
  return (
    <div className={styles.form} role="status">
      <Facts>
        <Fact name="rows">
          {rows.length === 0
            ? 'nothing differed'
            : rows.map(([table, count]) => `${table} ${formatCount(count)}`).join(', ')}
        </Fact>
        <Fact name="kept">{`${plural(result.keptMessages, 'message')} that came since`}</Fact>
        <Fact name="backup">
          <PathText path={result.backup.path} />
        </Fact>
      </Facts>
      <p className="dim">That backup holds the file as it was a moment ago: it undoes this.</p>
    </div>
  )
}

type BackupTableProps = {
  /** The backups, newest first. */
  readonly backups: readonly Backup[]
  /** Null when the file cannot be written. */
  readonly onRestore: ((path: string) => void) | null
}

const EVENTS_SHOWN = 20

/** The backups beside the file, and the changes that were made by hand or by a repair. */
function BackupTable({ backups, onRestore }: BackupTableProps) {
  const events = useQuery(api.surgery.events.queryOptions({ input: {} }))
  return (
    <>
      {backups.length === 0 ? (
        <p className="dim">
          There is no backup beside this file yet. Each repair and each operation on a summary makes one first.
        </p>
      ) : (
        <table className={classNames(table.table, styles.backups)}>
          <thead>
            <tr>
              <th scope="col">made</th>
              <th scope="col" className={table.number}>
                size
              </th>
              <th scope="col">file</th>
              <th scope="col" aria-label="restore" />
            </tr>
          </thead>
          <tbody>
            {backups.map(({ path, bytes, atMs }) => (
              <tr key={path}>
                <td>
                  <TimeText atMs={atMs} />
                </td>
                <td className={table.number}>{formatBytes(bytes)}</td>
                <td className={styles.name} title={path}>
                  {fileNameOf(path)}
                </td>
                <td>{onRestore !== null && <Button onClick={() => onRestore(path)}>Restore…</Button>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {events.data !== undefined && events.data.length > 0 && <Events events={events.data} />}
    </>
  )
}

function Events({ events }: { readonly events: readonly SurgeryEvent[] }) {
  return (
    <section>
      <SectionHeading>What was done</SectionHeading>
      <ul className={styles.list}>
        {events.slice(0, EVENTS_SHOWN).map((event) => (
          <li key={event.surgeryId} className={styles.event}>
            <span className="dim">
              <TimeText atMs={event.atMs} />
            </span>
            <span>{event.summary}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
