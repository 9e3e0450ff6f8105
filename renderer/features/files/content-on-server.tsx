import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { FileInfo } from '../../../core/contract/lineage.ts'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatBytes } from '../../ui/format.ts'
import { JobProgress } from '../../ui/job-progress.tsx'
import { useJob } from '../../ui/use-job.ts'
import styles from './file-viewer.module.css'

/** The content of a large file that was left on the server. It is fetched as soon as somebody looks at the file. */
export function ContentOnServer({ file: { id, bytes } }: { readonly file: FileInfo }) {
  const { start, job, error } = useJob()
  const queries = useQueryClient()
  const fetch = (): void => start({ kind: 'fetch', id })
  const state = job?.state
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each file
  useEffect(fetch, [id])
  useEffect(() => {
    if (state === 'done') void queries.invalidateQueries({ queryKey: api.files.key() })
  }, [state, queries])
  if (error !== null) return <ErrorState error={error} onRetry={fetch} />
  if (state === 'cancelled') {
    return (
      <EmptyState title="The content is on the server" actions={<Button onClick={fetch}>Fetch it</Button>}>
        It was not copied with the conversation{bytes !== null && `, and has ${formatBytes(bytes)}`}.
      </EmptyState>
    )
  }
  return (
    <div className={styles.fetching}>
      <JobProgress job={job} title="Fetching the content from the server…" />
    </div>
  )
}
