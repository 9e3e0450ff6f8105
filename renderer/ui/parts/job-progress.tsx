import { useMutation } from '@tanstack/react-query'
import type { Job } from '#core/contract/job.ts'
import { api } from '#renderer/api.ts'
import { ProgressBar } from '../charts/progress-bar.tsx'
import { Button } from '../controls/button.tsx'
import { jobText } from '../texts/job-text.ts'
import styles from './job-progress.module.css'

type Props = {
  /** Null while it is being started. */
  readonly job: Job | null
  /** The title until the job reports one. */
  readonly title: string
}

/** The progress of a job, with a button to cancel it. */
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
