import { useMutation } from '@tanstack/react-query'
import type { CompactionResult } from '../../../core/contract/compaction.ts'
import type { Job } from '../../../core/contract/job.ts'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatCompression, formatCount, formatDuration } from '../../ui/format.ts'
import { jobText } from '../../ui/job-text.ts'
import { NodeLink } from '../../ui/node-link.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { stopReasonText } from '../../ui/stop-reason.ts'
import { beforeAfterText, resultTitle } from './compaction-wording.ts'
import styles from './run-panel.module.css'

type Props = {
  /** The newest compaction of this conversation in this window. */
  readonly job: Job | null
  /** Why the last one could not even start. */
  readonly startError: unknown
}

/** A run while it goes, and what came of it. */
export function RunPanel({ job, startError }: Props) {
  if (startError !== null) return <ErrorState error={startError} />
  if (job === null) return null
  if (job.state === 'running') return <Running job={job} />
  if (job.result?.kind === 'compact') return <Outcome result={job.result.value} />
  if (job.state === 'failed' && job.error !== null) return <ErrorState error={job.error} />
  return (
    <section className={styles.panel}>
      <h2 className={styles.title}>Cancelled</h2>
      <p className={styles.dim}>What was committed before stays valid; the plan below starts from there.</p>
    </section>
  )
}

function Running({ job }: { readonly job: Job }) {
  const cancel = useMutation(api.jobs.cancel.mutationOptions())
  const text = jobText(job)
  return (
    <section className={styles.panel} aria-busy="true">
      <div className={styles.head}>
        <h2 className={styles.title}>{text}</h2>
        <Button disabled={cancel.isPending || cancel.isSuccess} onClick={() => cancel.mutate({ jobId: job.jobId })}>
          {cancel.isSuccess ? 'Cancelling…' : 'Cancel'}
        </Button>
      </div>
      <ProgressBar label={text} done={job.progress?.done ?? 0} total={job.progress?.total ?? 0} />
      <p className={styles.dim}>{job.progress?.note}</p>
    </section>
  )
}

function Outcome({ result }: { readonly result: CompactionResult }) {
  return (
    <section className={styles.panel} role="status">
      <h2 className={styles.title}>{resultTitle(result)}</h2>
      <p>
        {beforeAfterText(result.tokensBefore, result.tokensAfter)}{' '}
        <span className={styles.dim}>
          · ended because {stopReasonText(result.stopReason)} · {formatDuration(result.durationMs)}
        </span>
      </p>
      {result.skipped !== undefined && <p className={styles.dim}>{result.skipped}</p>}
      <ul className={styles.created}>
        {result.created.map((node) => (
          <li key={node.id}>
            <DepthSwatch node={node} />
            <NodeLink id={node.id} node={node} />
            <span className={styles.dim}>
              {formatCount(node.sourceTokens)} → {formatCount(node.tokens)}
              {node.tokens > 0 && ` · ${formatCompression(node.sourceTokens / node.tokens)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
