import { useMutation } from '@tanstack/react-query'
import type { Job } from '../../core/contract/job.ts'
import { api } from '../api.ts'
import { navigate, type View } from '../routes.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { jobOutcome, jobText } from '../ui/job-text.ts'
import { ProgressBar } from '../ui/progress-bar.tsx'
import styles from './job-item.module.css'

/** Where a job's result is to be seen. */
const VIEW_OF: Readonly<Partial<Record<Job['kind'], View>>> = {
  compact: 'compaction',
  index: 'search',
  storage: 'storage',
  map: 'map',
}

/** A job in the status line: how far it is, and its end for a moment. */
export function JobItem({ job }: { readonly job: Job }) {
  const cancel = useMutation(api.jobs.cancel.mutationOptions())
  const outcome = jobOutcome(job)
  const show = () => navigate({ view: VIEW_OF[job.kind] ?? 'integrity' }, 'push')
  if (outcome !== null)
    return (
      <button type="button" className={styles.outcome} data-state={job.state} onClick={show}>
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
