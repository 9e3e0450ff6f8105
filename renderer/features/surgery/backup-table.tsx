import { useQuery } from '@tanstack/react-query'
import type { Backup } from '../../../core/contract/repair.ts'
import type { SurgeryEvent } from '../../../core/contract/surgery.ts'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { fileNameOf, formatBytes } from '../../ui/format.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import table from '../../ui/text-table.module.css'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './surgery-dialog.module.css'

type Props = {
  /** The backups, newest first. */
  readonly backups: readonly Backup[]
  /** Null when the file cannot be written. */
  readonly onRestore: ((path: string) => void) | null
}

const EVENTS_SHOWN = 20

/** The backups beside the file, and the changes that were made by hand or by a repair. */
export function BackupTable({ backups, onRestore }: Props) {
  const events = useQuery(api.surgery.events.queryOptions({ input: {} }))
  return (
    <>
      {backups.length === 0 ? (
        <p className={styles.dim}>
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
            <span className={styles.dim}>
              <TimeText atMs={event.atMs} />
            </span>
            <span>{event.summary}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
