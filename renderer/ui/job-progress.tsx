import { useMutation } from '@tanstack/react-query'
import type { Job } from '../../core/contract/job.ts'
import { api } from '../api.ts'
import { Button } from './button.tsx'
import styles from './job-progress.module.css'
import { jobText } from './job-text.ts'
import { ProgressBar } from './progress-bar.tsx'

type Props = {
  /** Null while it is being started. */
  readonly job: Job | null
  /** What it is called until it has said something of itself. */
  readonly title: string
}

/** How far a job is, and the way to end it. */
export function JobProgress({ job, title }: Props) {
  const cancel = useMutation(api.jobs.cancel.mutationOptions())
  const progress = job?.progress ?? null
  const text = job === null ? title : jobText(job)
  return (
    <div className={styles.progress} aria-busy="true">
      <div className={styles.head}>
        <span role="status">{text}</span>
        <span className={styles.note}>{progress?.note}</span>
        <Button
          disabled={job === null || cancel.isPending || cancel.isSuccess}
          onClick={() => job !== null && cancel.mutate({ jobId: job.jobId })}
        >
          {cancel.isSuccess ? 'Cancelling…' : 'Cancel'}
        </Button>
      </div>
      <ProgressBar label={text} done={progress?.done ?? 0} total={progress?.total ?? 0} />
    </div>
  )
}
