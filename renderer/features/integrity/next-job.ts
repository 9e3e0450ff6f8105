import type { IntegrityReport } from '#core/contract/integrity.ts'
import type { Job } from '#core/contract/job.ts'

/** These jobs read or write what a report describes, so none begins while another runs. */
const CONCERNED: readonly Job['kind'][] = [
  'integrity',
  'repair_plan',
  'repair',
  'surgery',
  'undo',
  'undo_compaction',
  'compact',
  'import',
]
const CHANGES: readonly Job['kind'][] = ['repair', 'surgery', 'undo', 'undo_compaction']

type Input = { readonly jobs: readonly Job[]; readonly report: IntegrityReport | null }

/**
 * Returns the job to start without being asked: a scan after the memory was changed by hand or by a repair, and a plan
 * after a scan that found something. Each is started once; one that was cancelled or failed is not started again.
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
