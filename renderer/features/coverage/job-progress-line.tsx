import type { Job } from '../../../core/contract/job.ts'
import { jobText } from '../../ui/job-text.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'

/** How far the comparison is. */
export function JobProgressLine({ job }: { readonly job: Job | null }) {
  const text = job === null ? 'Comparing…' : jobText(job)
  const progress = job?.progress ?? null
  return (
    <div aria-busy="true">
      <ProgressBar label={text} done={progress?.done ?? 0} total={progress?.total ?? 0} />
      <p>{progress === null ? text : `${text} · ${progress.note}`}</p>
    </div>
  )
}
