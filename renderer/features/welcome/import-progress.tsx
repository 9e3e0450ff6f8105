import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { jobText } from '../../ui/job-text.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import styles from './import-progress.module.css'
import { ImportReport } from './import-report.tsx'
import type { Import } from './use-import.ts'

/** An import while it runs, and what did not arrive. */
export function ImportProgress({ transcripts }: { readonly transcripts: Import }) {
  const { job, error, result, cancel, open, leave } = transcripts
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
  const text = job === null ? 'Importing…' : jobText(job)
  return (
    <main className={styles.main} aria-busy="true">
      <h2 className={styles.title}>{text}</h2>
      <ProgressBar label={text} done={job?.progress?.done ?? 0} total={job?.progress?.total ?? 0} />
      <p className={styles.note}>{job?.progress?.note ?? 'The transcripts are read, and stay as they are.'}</p>
      <div className={styles.actions}>
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </main>
  )
}
