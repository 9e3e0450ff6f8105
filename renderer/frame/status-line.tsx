import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { meaningOf } from '#core/contract/glossary.ts'
import type { Job } from '#core/contract/job.ts'
import type { ListedConversation, MemoryInfo } from '#core/contract/memory.ts'
import type { WatchFinding } from '#core/contract/watch.ts'
import { api } from '../api.ts'
import { lastMoveOf, recentJobs } from '../job-list.ts'
import { navigate } from '../routes.ts'
import { ProgressBar } from '../ui/charts/progress-bar.tsx'
import { IconButton } from '../ui/controls/icon-button.tsx'
import { areNotificationsOn, newFindings, notify } from '../ui/data/notifications.ts'
import { useWatch } from '../ui/data/use-watch.ts'
import { fileNameOf, plural } from '../ui/texts/format.ts'
import { jobOutcome, jobText } from '../ui/texts/job-text.ts'
import { TextWithNames } from '../ui/texts/text-with-names.tsx'
import { paceOf, useNow } from '../ui/texts/use-now.ts'
import type { View } from '../views.ts'
import styles from './status-line.module.css'
import { healthText, statusText } from './status-text.ts'

type Props = {
  readonly conversation: ListedConversation | null
  readonly info: MemoryInfo
  /** False beside what belongs to the program, where only jobs are shown. */
  readonly isOfMemory: boolean
}

/** The conversation in one line, its health, and running jobs. */
export function StatusLine({ conversation, info, isOfMemory }: Props) {
  const settings = useQuery(api.memory.settings.queryOptions())
  const jobs = useJobs()
  useFindingNotices(fileNameOf(info.path))
  return (
    <footer className={styles.line}>
      {isOfMemory && conversation !== null && (
        <span className={styles.main} title="This conversation, in a file of this size">
          {statusText(conversation, info.bytes)}
        </span>
      )}
      {settings.data && isOfMemory && conversation !== null && (
        <span className={styles.tail} title={meaningOf('fresh tail')}>
          newest {settings.data.freshTailCount} stay
        </span>
      )}
      {isOfMemory && <Health />}
      {isOfMemory && <WrongNow />}
      <span className={styles.gap} />
      {jobs.map((job) => (
        <JobItem key={job.jobId} job={job} />
      ))}
    </footer>
  )
}

function Health() {
  const report = useQuery(api.integrity.last.queryOptions())
  const isChecking = useQuery(api.jobs.list.queryOptions()).data?.some(isRunningCheck) ?? false
  if (report.data === undefined) return null
  const found = report.data === null ? null : report.data.counts.error + report.data.counts.warning
  const state = found === null ? 'unknown' : found === 0 ? 'fine' : report.data?.counts.error ? 'error' : 'warning'
  return (
    <button
      type="button"
      className={styles.health}
      data-state={state}
      onClick={() => navigate({ view: 'health' }, 'push')}
    >
      <span className={styles.dot} aria-hidden="true" />
      {healthText(found, isChecking)}
    </button>
  )
}

const isRunningCheck = ({ kind, state }: Job): boolean => kind === 'integrity' && state === 'running'

/** What is wrong while the agent works. Nothing is shown when all is well. */
function WrongNow() {
  const { data } = useWatch(false)
  const [first] = data?.findings ?? []
  if (data === undefined || first === undefined) return null
  const text = data.findings.length === 1 ? first.text : `${plural(data.findings.length, 'thing')} wrong now`
  return (
    <button
      type="button"
      className={styles.health}
      data-state={first.severity}
      title={data.findings.map((finding) => finding.text).join('\n')}
      onClick={() => navigate({ view: 'activity' }, 'push')}
    >
      <span className={styles.dot} aria-hidden="true" />
      <span>
        <TextWithNames text={text} />
      </span>
    </button>
  )
}

/** Returns the jobs that run or have just ended. */
function useJobs(): readonly Job[] {
  const { data: jobs = [] } = useQuery(api.jobs.list.queryOptions())
  const nowMs = Date.now()
  const now = useNow(paceOf(lastMoveOf(jobs, nowMs), nowMs))
  return recentJobs(jobs, now)
}

/** Where a job's result is to be seen. */
const VIEW_OF: Readonly<Partial<Record<Job['kind'], View>>> = {
  compact: 'compact',
  index: 'find',
  storage: 'storage',
  map: 'batch',
}

/** A job in the status line: how far it is, and its end for a moment. */
function JobItem({ job }: { readonly job: Job }) {
  const cancel = useMutation(api.jobs.cancel.mutationOptions())
  const outcome = jobOutcome(job)
  const show = () => navigate({ view: VIEW_OF[job.kind] ?? 'health' }, 'push')
  if (outcome !== null)
    return (
      <button type="button" className={styles.outcome} data-state={job.state} title={outcome} onClick={show}>
        {outcome}
      </button>
    )
  const text = jobText(job)
  return (
    <span className={styles.job}>
      <span title={job.progress?.note}>{text}</span>
      <span className={styles.bar}>
        <ProgressBar label={text} done={job.progress?.done ?? 0} total={job.progress?.total ?? 0} />
      </span>
      <IconButton
        icon="close"
        label={`Cancel: ${text}`}
        disabled={cancel.isPending || cancel.isSuccess}
        onClick={() => cancel.mutate({ jobId: job.jobId })}
      />
    </span>
  )
}

const isLookedAt = (): boolean => !document.hidden && document.hasFocus()

/** Tells the desktop of what goes wrong in a memory while nobody looks at its window, where that is chosen. */
function useFindingNotices(fileName: string): void {
  const { data } = useWatch(false)
  const last = useRef<readonly WatchFinding[] | null>(null)
  useEffect(() => {
    if (data === undefined) return
    const before = last.current
    last.current = data.findings
    // What was wrong when the window was opened is seen in it.
    if (before === null || isLookedAt() || !areNotificationsOn()) return
    for (const finding of newFindings(before, data.findings))
      notify(finding, fileName, () => navigate({ view: 'activity' }, 'push'))
  }, [data, fileName])
}
