import { z } from 'zod'
import type { MemoryInfo } from '../../core/contract/memory.ts'
import { toErrorInfo } from '../error-text.ts'
import { host } from '../host.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorLine } from '../ui/error-line.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import figures from '../ui/figure-table.module.css'
import { formatCount, plainName, plural } from '../ui/format.ts'
import { useJob } from '../ui/use-job.ts'
import styles from './follow-dialog.module.css'

type Props = {
  readonly from: NonNullable<MemoryInfo['pulledFrom']>
  readonly said: string
  readonly onClose: () => void
}

/** The conversation that the file is a copy of, and a push of what was changed here. */
export function FollowDialog({ from, said, onClose }: Props) {
  const push = useJob()
  const report = push.job?.result?.kind === 'push' ? push.job.result.value : null
  return (
    <Dialog
      title="A copy of a conversation in PostgreSQL"
      width={560}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => host.openFile(from.address)}>All conversations</Button>
          <Button look="primary" disabled={push.isRunning} onClick={() => push.start({ kind: 'push' })}>
            {push.isRunning ? 'Pushing…' : 'Push changes'}
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        <Facts>
          <Fact name="database">
            <span className={styles.address}>{from.address}</span>
          </Fact>
          <Fact name="tenant">
            <bdi>{plainName(from.tenant)}</bdi>
          </Fact>
          <Fact name="conversation">{formatCount(from.conversationId)}</Fact>
        </Facts>
        <p className={styles.said}>{said}</p>
        {push.error !== null && <Refusal error={push.error} />}
        {report !== null &&
          (report.tables.length === 0 ? (
            <p role="status">This file holds no change that is not in the database.</p>
          ) : (
            <table className={figures.table} aria-label="What was written">
              <thead>
                <tr>
                  <th>table</th>
                  <th>added</th>
                  <th>replaced</th>
                  <th>removed</th>
                </tr>
              </thead>
              <tbody>
                {report.tables.map((one) => (
                  <tr key={one.table}>
                    <td>{one.table}</td>
                    <td>{formatCount(one.added)}</td>
                    <td>{formatCount(one.replaced)}</td>
                    <td>{formatCount(one.removed)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          ))}
      </div>
    </Dialog>
  )
}

const Conflicts = z.object({
  conflicts: z.array(z.object({ table: z.string(), id: z.string(), what: z.string() })),
  count: z.number(),
})

/** Why nothing was written; of a conflict, which rows somebody else changed meanwhile. */
function Refusal({ error }: { readonly error: unknown }) {
  const { code, details } = toErrorInfo(error)
  const conflict = code === 'conflict' ? Conflicts.safeParse(details).data : undefined
  if (conflict === undefined) return <ErrorLine error={error} />
  const more = conflict.count - conflict.conflicts.length
  return (
    <section className={styles.conflict} role="alert" aria-label="Conflict">
      <p>
        Somebody else changed {plural(conflict.count, 'row')} that this file changes, too. Nothing was written. Open the
        conversation anew from all conversations, and make the change there.
      </p>
      <ul>
        {conflict.conflicts.map(({ table, id, what }) => (
          <li key={`${table} ${id}`}>
            <span>{table}</span>
            <span className={styles.address}>{id}</span>
            <span>{what}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p>and {formatCount(more)} more</p>}
    </section>
  )
}
