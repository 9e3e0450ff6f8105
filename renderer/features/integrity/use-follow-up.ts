import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { IntegrityReport } from '../../../core/contract/integrity.ts'
import type { Job } from '../../../core/contract/job.ts'
import { api } from '../../api.ts'

/** Lets a scan be followed by its plan, and a repair by a scan, for as long as the view is open. Both only read. */
export function useFollowUp(): void {
  const { data: jobs, refetch } = useQuery(api.jobs.list.queryOptions())
  const { data: report } = useQuery(api.integrity.last.queryOptions())
  // This is pending until the list of jobs contains what was started, so that nothing is started twice.
  const { mutate, isPending, isError } = useMutation(api.jobs.start.mutationOptions({ onSuccess: () => refetch() }))
  const canStart = jobs !== undefined && report !== undefined && !isPending && !isError
  const kind = canStart ? nextJob({ jobs, report }) : null
  useEffect(() => {
    if (kind !== null) mutate({ kind })
  }, [kind, mutate])
}

/** These jobs read or write what a report describes, so none begins while another runs. */
const CONCERNED: readonly Job['kind'][] = ['integrity', 'repair_plan', 'repair', 'surgery', 'undo', 'compact', 'import']
const CHANGES: readonly Job['kind'][] = ['repair', 'surgery', 'undo']

type Input = { readonly jobs: readonly Job[]; readonly report: IntegrityReport | null }

/**
 * What should be looked into by itself, now: the file again after its memory was changed by hand or by a repair, and what
 * can be done about a report that found something. Each once: what was cancelled or failed is not begun again.
 */
export function nextJob({ jobs, report }: Input): 'integrity' | 'repair_plan' | null {
  if (report === null || jobs.some((job) => job.state === 'running' && CONCERNED.includes(job.kind))) return null
  const since = (kind: Job['kind'], atMs: number) => jobs.some((job) => job.kind === kind && job.startedAtMs >= atMs)
  const changedAtMs = jobs
    .filter((job) => job.state === 'done' && CHANGES.includes(job.kind))
    .reduce((latest, job) => Math.max(latest, job.finishedAtMs ?? 0), 0)
  if (changedAtMs > report.finishedAtMs) return since('integrity', changedAtMs) ? null : 'integrity'
  const isSound = report.counts.error + report.counts.warning === 0
  return isSound || since('repair_plan', report.finishedAtMs) ? null : 'repair_plan'
}
