import type { Job } from '../../../core/contract/job.ts'
import { jobText } from '../../ui/job-text.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { ViewHeader } from '../../ui/view-header.tsx'
import { CancelScan } from './cancel-scan.tsx'
import styles from './scan-progress.module.css'

/** A scan that is under way. */
export function ScanProgress({ job }: { readonly job: Job }) {
  const { progress } = job
  const figures =
    progress === null ? 'starting' : `${progress.done} of ${progress.total || '?'} ${progress.unit} · ${progress.note}`
  return (
    <div aria-busy="true">
      <ViewHeader title="Checking…" actions={<CancelScan job={job} />}>
        {figures}
      </ViewHeader>
      <div className={styles.bar}>
        <ProgressBar label={jobText(job)} done={progress?.done ?? 0} total={progress?.total ?? 0} />
      </div>
    </div>
  )
}
