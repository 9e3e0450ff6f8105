import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Job } from '#core/contract/job.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { useLink } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorLine, ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { Notice } from '#renderer/ui/states/notice.tsx'
import { formatBytes, plural } from '#renderer/ui/texts/format.ts'
import { PathText } from '#renderer/ui/texts/path-text.tsx'
import { StorageReportView } from './storage-report-view.tsx'
import styles from './storage-view.module.css'

/** A file up to this size is measured at once; of a larger one every page is read on request. */
const MEASURED_AT_ONCE_BYTES = 64_000_000

/** Whether a file is measured without a click: a small one, once. After it was cancelled a button measures it. */
export const isMeasuredAtOnce = (jobs: readonly Pick<Job, 'kind'>[], bytes: number): boolean =>
  bytes <= MEASURED_AT_ONCE_BYTES && !jobs.some(({ kind }) => kind === 'storage')

/** Shows how the bytes of the file are used. */
export function StorageView({ info }: { readonly info: MemoryInfo }) {
  const { data: jobs, refetch } = useQuery(api.jobs.list.queryOptions())
  // This is pending until the list of jobs contains what was started, so that nothing is started twice.
  const start = useMutation(api.jobs.start.mutationOptions({ onSuccess: () => refetch() }))
  const { mutate, isIdle } = start
  const newest = jobs?.find((job) => job.kind === 'storage') ?? null
  const last = lastReport(jobs ?? [])
  const measure = () => mutate({ kind: 'storage' })
  const isStartedUnasked = jobs !== undefined && isMeasuredAtOnce(jobs, info.bytes)
  useEffect(() => {
    if (isStartedUnasked && isIdle) mutate({ kind: 'storage' })
  }, [isStartedUnasked, isIdle, mutate])
  const isRunning = newest?.state === 'running'
  const error = start.error ?? (newest?.state === 'failed' ? newest.error : null)
  return (
    <div className={styles.view}>
      {isRunning && (
        <div className={styles.progress}>
          <JobProgress job={newest} title="Measuring…" />
        </div>
      )}
      {!isRunning && error !== null && <ErrorState error={error} onRetry={measure} />}
      {last !== null ? (
        <StorageReportView report={last.report} atMs={last.atMs} onMeasure={isRunning ? null : measure} />
      ) : jobs === undefined ? (
        <Loading what="the last measurement" />
      ) : (
        !isRunning &&
        !isStartedUnasked &&
        error === null && (
          <EmptyState
            title="Not measured yet"
            actions={
              <Button look="primary" onClick={measure}>
                Measure
              </Button>
            }
          >
            Looks at every page of the file: how much each table and index takes, what is empty, which text stands in it
            more than once, and what would make it smaller. It only reads.
          </EmptyState>
        )
      )}
      <LedgerSection info={info} />
    </div>
  )
}

function lastReport(jobs: readonly Job[]) {
  for (const { result, finishedAtMs } of jobs)
    if (result?.kind === 'storage' && finishedAtMs !== null) return { report: result.value, atMs: finishedAtMs }
  return null
}

/** Whether a ledger is kept, where, and whether it is behind. */
function LedgerSection({ info }: { readonly info: MemoryInfo }) {
  const linkTo = useLink()
  const state = useQuery(api.ledger.state.queryOptions())
  const agree = useMutation(api.ledger.agree.mutationOptions({ onSettled: () => void state.refetch() }))
  if (state.error) return <ErrorLine error={state.error} onRetry={() => void state.refetch()} />
  if (state.data === undefined) return null
  const { path, pending, bytes, problem, blocked } = state.data
  return (
    <section className={styles.section}>
      <SectionHeading>Ledger</SectionHeading>
      {path === null ? (
        <p className="dim">
          {info.system === 'native' ? (
            <>
              None is kept. A ledger is a text file to which every change of this memory is appended, and from which it
              can be rebuilt: <a href={linkTo({ view: 'settings' })}>Settings</a> name a file for it, or{' '}
              <code>lcm ledger</code> begins one.
            </>
          ) : (
            `This app keeps ledgers of its own memories only; this file belongs to ${info.systemLabel}.`
          )}
        </p>
      ) : (
        <>
          <Facts>
            <Fact name="path">
              <PathText path={path} />
            </Fact>
            <Fact name="written">{formatBytes(bytes)}</Fact>
            <Fact name="pending">
              {pending === 0 ? 'nothing: it is up to date' : `${plural(pending, 'change')} not in it yet`}
            </Fact>
          </Facts>
          {blocked !== null && (
            <Notice
              title="It cannot be continued."
              action={
                problem === 'not_agreed' &&
                !info.readOnly && (
                  <Button disabled={agree.isPending} onClick={() => agree.mutate(undefined)}>
                    Agree to this ledger
                  </Button>
                )
              }
            >
              {blocked}
            </Notice>
          )}
          {agree.error && <ErrorLine error={agree.error} />}
        </>
      )}
    </section>
  )
}
