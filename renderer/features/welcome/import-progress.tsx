import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { JobProgress } from '../../ui/job-progress.tsx'
import styles from './import-progress.module.css'
import { ImportReport } from './import-report.tsx'
import type { Import } from './use-import.ts'

/** A running import, and then what was not imported. */
export function ImportProgress({ transcripts }: { readonly transcripts: Import }) {
  const { job, error, result, open, leave } = transcripts
  if (result !== null)
    return (
      <main className={styles.main}>
        <ImportReport result={result} />
        <div className={styles.actions}>
          {result.added + result.alreadyThere > 0 && (
            <Button look="primary" onClick={open}>
              Open the memory
            </Button>
          )}
          <Button onClick={leave}>Back</Button>
        </div>
      </main>
    )
  if (error !== null) return <ErrorState error={error} actions={<Button onClick={leave}>Back</Button>} />
  return (
    <main className={styles.main}>
      <JobProgress job={job} title="Importing…" />
      <p className={styles.note}>The transcripts are only read. What has arrived when it is cancelled stays.</p>
    </main>
  )
}
