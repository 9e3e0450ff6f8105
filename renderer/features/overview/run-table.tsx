import type { Overview } from '../../../core/contract/memory.ts'
import { useLink } from '../../routes.ts'
import figures from '../../ui/figure-table.module.css'
import { formatCompact, formatCount, formatPercent } from '../../ui/format.ts'
import { stopReasonText } from '../../ui/job-text.ts'
import { prunedRunText } from '../../ui/pruned-text.ts'
import { runAddress } from '../../ui/run-address.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './overview-view.module.css'

type Props = { readonly runs: Overview['runs'] }

/** The compactions so far, newest first. */
export function RunTable({ runs }: Props) {
  const link = useLink()
  return (
    <section>
      <SectionHeading>Compaction runs{runs.length > 0 && ` · ${formatCount(runs.length)}`}</SectionHeading>
      {runs.length === 0 ? (
        <p className={styles.none}>No run is recorded for this conversation.</p>
      ) : (
        <table className={`${figures.table} ${styles.runs}`}>
          <thead>
            <tr>
              <th>when</th>
              <th>why</th>
              <th>before</th>
              <th>after</th>
              <th>saved</th>
              <th>new summaries</th>
              <th>ended because</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <tr key={run.runId}>
                <td>
                  <a className={styles.link} href={link(runAddress(run.runId))} title={`Open ${run.runId}`}>
                    <TimeText atMs={run.atMs} form="short" />
                  </a>
                </td>
                <td>{run.reason}</td>
                <td>{run.tokensBefore === null ? '–' : formatCompact(run.tokensBefore)}</td>
                <td>{run.tokensAfter === null ? '–' : formatCompact(run.tokensAfter)}</td>
                <td>{savedText(run.tokensBefore, run.tokensAfter)}</td>
                <td>{run.pruned ? prunedRunText(run.pruned) : formatCount(run.created)}</td>
                <td>{run.stopReason === null ? '–' : stopReasonText(run.stopReason)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function savedText(before: number | null, after: number | null): string {
  return before === null || after === null || before === 0 ? '–' : formatPercent(1 - after / before)
}
