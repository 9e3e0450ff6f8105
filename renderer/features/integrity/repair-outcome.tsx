import { useState } from 'react'
import type { Job } from '#core/contract/job.ts'
import type { RepairResult } from '#core/contract/repair.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { checkTitle } from '#renderer/ui/data/check-titles.ts'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { formatBytes, formatCount, formatDuration, plural } from '#renderer/ui/texts/format.ts'
import { PathText } from '#renderer/ui/texts/path-text.tsx'
import styles from './repair-panel.module.css'
import { findingChanges, outcomeTitle } from './repair-wording.ts'

type Props = {
  /** A repair that has ended. */
  readonly job: Job
  readonly jobs: readonly Job[]
  readonly onUndo: (backup?: string) => void
}

/** The result of a repair. It stays until it is dismissed. */
export function RepairOutcome({ job, jobs, onUndo }: Props) {
  const [isAway, setAway] = useState<string | null>(null)
  if (isAway === job.jobId) return null
  if (job.state === 'failed' && job.error !== null) return <ErrorState error={job.error} />
  const put = <IconButton icon="close" label="Put this away" onClick={() => setAway(job.jobId)} />
  if (job.result?.kind !== 'repair')
    return (
      <section className={styles.outcome} role="status">
        <div className={styles.outcomeHead}>
          <h3 className={styles.outcomeTitle}>Repair cancelled</h3>
          {put}
        </div>
        <p className="dim">Nothing was changed.</p>
      </section>
    )
  return (
    <section className={styles.outcome} role="status">
      <div className={styles.outcomeHead}>
        <h3 className={styles.outcomeTitle}>{outcomeTitle(job.result.value)}</h3>
        {put}
      </div>
      <Result result={job.result.value} titleOf={titlesBefore(jobs, job)} onUndo={onUndo} />
    </section>
  )
}

type ResultProps = {
  readonly result: RepairResult
  readonly titleOf: (id: string) => string
  readonly onUndo: (backup?: string) => void
}

function Result({ result, titleOf, onUndo }: ResultProps) {
  const { applied, skipped, rolledBack, backup } = result
  return (
    <>
      {rolledBack !== null && (
        <p>
          After the steps {rolledBack.length === 1 ? 'a check' : 'checks'} found more than before, so the file is as it
          was: {rolledBack.map(({ check, before, after }) => `${check} ${before} → ${after}`).join(', ')}
        </p>
      )}
      {applied.length > 0 && (
        <ul className={styles.list}>
          {applied.map(({ id, rows, chosen }) => (
            <li key={id}>
              {titleOf(id)}{' '}
              <span className="dim">
                · {plural(rows, 'row')}
                {chosen ? '' : ', needed by another'}
              </span>
            </li>
          ))}
        </ul>
      )}
      {skipped.map(({ id, reason }) => (
        <p key={id} className={styles.skipped}>
          Skipped: {titleOf(id)}. {reason}
        </p>
      ))}
      <table className={styles.checks}>
        <thead>
          <tr>
            <th scope="col">check</th>
            <th scope="col">before</th>
            <th scope="col">after</th>
          </tr>
        </thead>
        <tbody>
          {findingChanges(result).map(({ check, before, after }) => (
            <tr key={check} className={before === after ? 'dim' : undefined}>
              <td>
                {checkTitle(check)} <code>{check}</code>
              </td>
              <td>{formatCount(before)}</td>
              <td data-change={after < before ? 'better' : after > before ? 'worse' : undefined}>
                {formatCount(after)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {backup !== null && (
        <div className={styles.backup}>
          <p className="dim">
            Backup of the file as it was, {formatBytes(backup.bytes)} · {formatDuration(result.durationMs)} in all
          </p>
          <PathText path={backup.path} />
          {rolledBack === null && <Button onClick={() => onUndo(backup.path)}>Undo…</Button>}
        </div>
      )}
    </>
  )
}

/** Returns titles of the steps from the plan that existed when the repair began. */
function titlesBefore(jobs: readonly Job[], repair: Job): (id: string) => string {
  const titles = new Map<string, string>()
  for (const { result, startedAtMs } of jobs) {
    if (result?.kind !== 'repair_plan' || startedAtMs > repair.startedAtMs) continue
    // The newest plan comes first. An older plan only gives titles of steps that the newer one lacks.
    for (const step of result.value.steps) if (!titles.has(step.id)) titles.set(step.id, step.title)
  }
  return (id) => titles.get(id) ?? id
}
