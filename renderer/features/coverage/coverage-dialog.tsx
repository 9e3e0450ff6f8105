import { type ReactNode, useState } from 'react'
import { host } from '../../host.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorLine } from '../../ui/error-line.tsx'
import { JobProgress } from '../../ui/job-progress.tsx'
import { useJob } from '../../ui/use-job.ts'
import styles from './coverage.module.css'
import { CoverageResult } from './coverage-result.tsx'
import { ExportCoverage } from './export-coverage.tsx'
import { TranscriptField } from './transcript-field.tsx'

type Props = {
  readonly conversationId: number
  readonly browse: (onChoose: (path: string) => void, onClose: () => void) => ReactNode
  readonly onClose: () => void
}

/** Asks for the transcript, compares, and shows what came of it. */
export function CoverageDialog({ conversationId, browse, onClose }: Props) {
  const [path, setPath] = useState('')
  const [isBrowsing, setBrowsing] = useState(false)
  const check = useJob()
  const report = check.job?.result?.kind === 'coverage' ? check.job.result.value : null
  const trimmed = path.trim().replace(/^"(.*)"$/, '$1')
  const compare = () => check.start({ kind: 'coverage', conversationId, path: trimmed, format: 'auto' })
  const choose = async () => {
    if (!host.pickTranscripts) return setBrowsing(true)
    const [chosen] = await host.pickTranscripts()
    if (chosen !== undefined) setPath(chosen)
  }
  if (isBrowsing) {
    const close = () => setBrowsing(false)
    const take = (chosen: string) => {
      setPath(chosen)
      close()
    }
    return browse(take, close)
  }
  return (
    <Dialog
      title="Check against the agent’s transcript"
      width={760}
      onClose={onClose}
      actions={
        report !== null ? (
          <>
            <ExportCoverage report={report} />
            <Button onClick={check.forget}>Another transcript…</Button>
            <Button look="primary" data-autofocus="" onClick={onClose}>
              Close
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>Close</Button>
            <Button look="primary" disabled={trimmed === '' || check.isRunning} onClick={compare}>
              Compare
            </Button>
          </>
        )
      }
    >
      <div className={styles.body}>
        {report !== null ? (
          <CoverageResult report={report} onLeave={onClose} />
        ) : check.isRunning ? (
          <JobProgress job={check.job} title="Comparing…" />
        ) : (
          <>
            <p>
              Agents keep their own record of a session. This memory is compared with it, message by message: what never
              arrived, what arrived twice, and what differs. Both are only read.
            </p>
            <TranscriptField path={path} onPath={setPath} onChoose={() => void choose()} onSubmit={compare} />
          </>
        )}
        {check.error !== null && <ErrorLine error={check.error} />}
      </div>
    </Dialog>
  )
}
