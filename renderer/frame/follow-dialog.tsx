import { z } from 'zod'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { ChangedTables, PushReport } from '#core/contract/remote.ts'
import { toErrorInfo } from '../error-text.ts'
import { host } from '../host.ts'
import { Button } from '../ui/controls/button.tsx'
import { Chip } from '../ui/controls/chip.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Fact, Facts } from '../ui/controls/facts.tsx'
import { useJob } from '../ui/data/use-job.ts'
import { JobProgress } from '../ui/parts/job-progress.tsx'
import { ErrorLine } from '../ui/states/error-state.tsx'
import { useOpening } from '../ui/states/use-opening.ts'
import figures from '../ui/styles/figure-table.module.css'
import { formatCount, plainName, plural } from '../ui/texts/format.ts'
import styles from './follow-dialog.module.css'
import { FOLLOW_TEXTS } from './follow-text.ts'
import { type Following, useFollowing } from './use-following.ts'

type Props = {
  readonly from: NonNullable<MemoryInfo['pulledFrom']>
  readonly following: Following
  readonly onClose: () => void
}

/** The dialog on what the file follows now. */
export function FollowingDialog(props: Omit<Props, 'following'>) {
  return <FollowDialog {...props} following={useFollowing()} />
}

/** The conversation that the file is a copy of, what was changed here, and a push of that. */
export function FollowDialog({ from, following: { state, reason, changes }, onClose }: Props) {
  const push = useJob()
  const report = push.job?.result?.kind === 'push' ? push.job.result.value : null
  const { tone, short, title } = FOLLOW_TEXTS[state]
  // Without a list of changes a push finds out whether there is one.
  const isChanged = changes === null || changes.length > 0
  const isRefused = push.error !== null && !push.isRunning
  return (
    <Dialog
      title="Copy of a conversation in PostgreSQL"
      width={560}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => host.openFile(from.address)}>All conversations</Button>
          <Button
            look={isRefused ? 'plain' : 'primary'}
            disabled={push.isRunning || !isChanged}
            onClick={() => push.start({ kind: 'push' })}
          >
            {push.isRunning ? 'Pushing…' : isRefused ? 'Try again' : 'Push changes'}
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
          <Fact name="state">
            <span className={styles.state}>
              <Chip tone={tone}>{short}</Chip>
              <span>{reason ?? title}</span>
            </span>
          </Fact>
        </Facts>
        {changes !== null && changes.length > 0 && <ChangedTablesView label="Changed here" tables={changes} />}
        {push.isRunning && <JobProgress job={push.job} title="Pushing…" />}
        {push.error !== null && <Refusal from={from} error={push.error} />}
        {report !== null && !push.isRunning && !changes?.length && <Pushed {...report} />}
      </div>
    </Dialog>
  )
}

/** What a push has written, and what it could not. */
function Pushed({ tables, otherConversations: others }: Pick<PushReport, 'tables' | 'otherConversations'>) {
  return (
    <div role="status">
      {tables.length === 0 ? (
        <p>Nothing was changed here that is not in the database.</p>
      ) : (
        <ChangedTablesView label="Written to the database" tables={tables} />
      )}
      {others > 0 && (
        <p className="dim">
          {plural(others, 'conversation')} of this file {others === 1 ? 'was' : 'were'} not copied from there, and{' '}
          {others === 1 ? 'stays' : 'stay'} here.
        </p>
      )}
    </div>
  )
}

const Conflicts = z.object({
  conflicts: z.array(z.object({ table: z.string(), id: z.string(), what: z.string() })),
  count: z.number(),
})

type RefusalProps = { readonly from: Props['from']; readonly error: unknown }

/** Why nothing was written; of a conflict, which rows somebody else changed meanwhile, and the way on. */
function Refusal({ from, error }: RefusalProps) {
  const { row, error: failure, openAsStored } = useOpening(from.address)
  const isOpening = row !== null && failure === null
  const { code, details } = toErrorInfo(error)
  const conflict = code === 'conflict' ? Conflicts.safeParse(details).data : undefined
  if (conflict === undefined) return <ErrorLine error={error} />
  const more = conflict.count - conflict.conflicts.length
  const { tenant, conversationId } = from
  return (
    <section className={styles.conflict} role="alert" aria-label="Conflict">
      <p>
        <strong>Nothing was written.</strong> Somebody else changed {plural(conflict.count, 'row')} that you changed,
        too:
      </p>
      <ul>
        {conflict.conflicts.map(({ table, id, what }) => (
          <li key={`${table} ${id}`}>
            <span>{rowOf(table)}</span>
            <span className={styles.address}>{id}</span>
            <span>{what} there</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="dim">and {formatCount(more)} more</p>}
      <p className={styles.next}>
        <span>Your changes stay in this copy. Open another one as it is stored now, and make them there.</span>
        <Button
          look="primary"
          disabled={isOpening}
          onClick={() => openAsStored({ tenant, conversationId, label: '', messages: 0 })}
        >
          {isOpening ? 'Opening…' : 'Open as stored'}
        </Button>
      </p>
      {failure !== null && <ErrorLine error={failure} />}
    </section>
  )
}

type ChangedTablesViewProps = { readonly label: string; readonly tables: ChangedTables }

/** How much of what was added, replaced and removed. */
function ChangedTablesView({ label, tables }: ChangedTablesViewProps) {
  return (
    <table className={figures.table} aria-label={label}>
      <thead>
        <tr>
          <th>{label}</th>
          <th>added</th>
          <th>replaced</th>
          <th>removed</th>
        </tr>
      </thead>
      <tbody>
        {tables.map(({ table, added, replaced, removed }) => (
          <tr key={table}>
            <td>{rowsOf(table)}</td>
            <td>{countOf(added)}</td>
            <td>{countOf(replaced)}</td>
            <td>{countOf(removed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const countOf = (count: number): string => (count === 0 ? '–' : formatCount(count))

/** What the rows of a table are called, of one and of several. */
const NAMES: Readonly<Record<string, readonly [one: string, several: string]>> = {
  conversations: ['conversation', 'title and time of the conversation'],
  messages: ['message', 'messages'],
  message_parts: ['part', 'parts of messages'],
  summaries: ['summary', 'summaries'],
  summary_messages: ['messages of', 'lists of covered messages'],
  summary_sources: ['sources of', 'lists of source summaries'],
  context_items: ['window item', 'items of the window'],
  large_files: ['file', 'large files'],
  compaction_runs: ['compaction', 'compactions'],
  compaction_events: ['step', 'steps of compactions'],
  surgery_events: ['edit', 'edits by hand'],
}

const rowsOf = (table: string): string => NAMES[table]?.[1] ?? table
const rowOf = (table: string): string => NAMES[table]?.[0] ?? table
