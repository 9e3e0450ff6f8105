import { useId, useState } from 'react'
import { host } from '../../host.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorLine } from '../../ui/error-line.tsx'
import { JobProgress } from '../../ui/job-progress.tsx'
import { useJob } from '../../ui/use-job.ts'
import styles from './coverage-dialog.module.css'
import { CoverageReportView } from './coverage-report-view.tsx'

type Props = { readonly conversationId: number; readonly onClose: () => void }

/** Compares a conversation with the transcript that its agent keeps by itself. Both are only read. */
export function CoverageDialog({ conversationId, onClose }: Props) {
  const [path, setPath] = useState('')
  const field = useId()
  const compare = useJob()
  const report = compare.job?.result?.kind === 'coverage' ? compare.job.result.value : null
  const { pickTranscripts } = host
  const pick = async () => {
    const [first] = (await pickTranscripts?.()) ?? []
    if (first !== undefined) setPath(first)
  }
  const start = () => compare.start({ kind: 'coverage', conversationId, path: path.trim() })
  return (
    <Dialog
      title="Check against a transcript"
      width={report === null ? 560 : 860}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" disabled={compare.isRunning || path.trim() === ''} onClick={start}>
            {report === null ? 'Compare' : 'Compare again'}
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        <div className={styles.row}>
          <label htmlFor={field}>Transcript</label>
          <input
            id={field}
            className={styles.path}
            data-autofocus=""
            spellCheck={false}
            placeholder="path of the file that the agent keeps of this session"
            value={path}
            disabled={compare.isRunning}
            onChange={(event) => setPath(event.target.value)}
            onKeyDown={(event) => event.key === 'Enter' && path.trim() !== '' && start()}
          />
          {pickTranscripts !== undefined && (
            <Button disabled={compare.isRunning} onClick={() => void pick()}>
              Browse…
            </Button>
          )}
        </div>
        {compare.isRunning ? (
          <JobProgress job={compare.job} title="Comparing…" />
        ) : compare.error !== null ? (
          <ErrorLine error={compare.error} />
        ) : report !== null ? (
          <CoverageReportView report={report} />
        ) : (
          <p className={styles.dim}>
            {compare.job?.state === 'cancelled'
              ? 'Cancelled.'
              : 'Says which messages of the transcript this conversation lacks, has twice, or has otherwise than they were said. Both files are only read.'}
          </p>
        )}
      </div>
    </Dialog>
  )
}
