import type { IntegrityReport } from '#core/contract/integrity.ts'
import type { Job } from '#core/contract/job.ts'
import { CHANGING_JOBS, isCheckedJobRunning } from '#core/contract/lists.ts'

type Input = { readonly jobs: readonly Job[]; readonly report: IntegrityReport | null }

/**
 * Returns the job to start without being asked: a scan after the memory was changed by hand or by a repair, and a plan
 * after a scan that found something. Each is started once; one that was cancelled or failed is not started again.
 */
export function nextJob({ jobs, report }: Input): 'integrity' | 'repair_plan' | null {
  if (report === null || isCheckedJobRunning(jobs)) return null
  const since = (kind: Job['kind'], atMs: number) => jobs.some((job) => job.kind === kind && job.startedAtMs >= atMs)
  const changedAtMs = jobs
    .filter((job) => job.state === 'done' && CHANGING_JOBS.includes(job.kind))
    .reduce((latest, job) => Math.max(latest, job.finishedAtMs ?? 0), 0)
  if (changedAtMs > report.finishedAtMs) return since('integrity', changedAtMs) ? null : 'integrity'
  const isSound = report.counts.error + report.counts.warning === 0
  return isSound || since('repair_plan', report.finishedAtMs) ? null : 'repair_plan'
}
