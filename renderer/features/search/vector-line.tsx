import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../api.ts'
import { toErrorInfo } from '../../error-text.ts'
import { Button } from '../../ui/button.tsx'
import { JobProgress } from '../../ui/job-progress.tsx'
import { jobOutcome } from '../../ui/job-text.ts'
import { useJob } from '../../ui/use-job.ts'
import styles from './index-line.module.css'
import { vectorsText } from './vectors-text.ts'

/**
 * Says which texts questions find in other words, and makes the vectors that are missing. It is empty without a model
 * for them, and when every text has its vectors.
 */
export function VectorLine() {
  const { data: status, error, refetch } = useQuery(api.retrieval.vectors.queryOptions())
  const { data: jobs } = useQuery(api.jobs.list.queryOptions())
  const made = useJob()
  const job = jobs?.find(({ kind }) => kind === 'embed') ?? null
  const state = job?.state
  // biome-ignore lint/correctness/useExhaustiveDependencies: a job that began or ended says that the answer is another one
  useEffect(() => {
    void refetch()
  }, [job?.jobId, state, refetch])
  if (error) return <p role="alert">{toErrorInfo(error).message}</p>
  if (!status || status.provider === null) return null
  if (job && state === 'running') return <JobProgress job={job} title="Making vectors…" />
  const missing = status.totalTexts - status.texts
  const problem = made.error ?? (state === 'failed' ? job?.error : null)
  if (missing <= 0 && !problem) return null
  return (
    <>
      <p className={styles.line}>
        <span>{vectorsText(status)}</span>
        <Button className={styles.make} disabled={made.isRunning} onClick={() => made.start({ kind: 'embed' })}>
          {status.texts === 0 ? 'Make vectors' : 'Go on'}
        </Button>
      </p>
      {problem ? (
        <p role="alert">{toErrorInfo(problem).message}</p>
      ) : (
        job?.result?.kind === 'embed' && job.result.value.outcome !== 'ready' && <p>{jobOutcome(job)}.</p>
      )}
    </>
  )
}
