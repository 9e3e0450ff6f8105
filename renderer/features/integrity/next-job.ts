import type { IntegrityReport } from '../../../core/contract/integrity.ts'
import type { Job } from '../../../core/contract/job.ts'

/** They read or write what a report speaks of; none begins while another runs. */
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
