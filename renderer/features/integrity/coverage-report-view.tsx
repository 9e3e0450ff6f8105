import { useState } from 'react'
import type { CoverageReport } from '../../../core/contract/coverage.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount, formatDuration, plural } from '../../ui/format.ts'
import { NodeLink } from '../../ui/node-link.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import styles from './coverage-dialog.module.css'
import { type CoverageGroup, coverageGroups, coverageTitle } from './coverage-rows.ts'

const FIRST_ROWS = 20

/** What a comparison found, message by message. */
export function CoverageReportView({ report }: { readonly report: CoverageReport }) {
  return (
    <div className={styles.report}>
      <div role="status">
        <h3 className={styles.title}>{coverageTitle(report)}</h3>
        <p className={styles.dim}>
          {formatCount(report.matched)} of {plural(report.inTranscript, 'message')} matched · {report.format} · session{' '}
          <code className={styles.session}>{report.sessionId}</code> · {formatDuration(report.durationMs)}
        </p>
      </div>
      {report.skippedLines > 0 && (
        <p className={styles.warning}>
          {plural(report.skippedLines, 'line')} of the transcript could not be read: what they say is not known.
        </p>
      )}
      {report.notes.map((note) => (
        <p key={note} className={styles.dim}>
          {note}
        </p>
      ))}
      {coverageGroups(report).map((group) => (
        <Group key={group.title} group={group} conversationId={report.conversationId} />
      ))}
    </div>
  )
}

type GroupProps = { readonly group: CoverageGroup; readonly conversationId: number }

function Group({ group, conversationId }: GroupProps) {
  const [shown, setShown] = useState(group.isExpected ? 0 : FIRST_ROWS)
  const rows = group.rows.slice(0, shown)
  return (
    <section>
      <SectionHeading aside={group.isExpected ? 'no fault by itself' : undefined}>
        {group.title} · {formatCount(group.count)}
      </SectionHeading>
      <ul className={styles.rows}>
        {rows.map(({ id, line, role, excerpt, stored, note }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are fixed, and may concern one message twice
          <li key={index}>
            <span className={styles.place}>
              {line === null ? role : `line ${formatCount(line)} · ${role}`}
              {(id !== null || note !== null) && (
                <span>
                  {note} {id !== null && <NodeLink id={id} conversationId={conversationId} />}
                </span>
              )}
            </span>
            <span className={styles.texts} dir="auto">
              <bdi>{excerpt}</bdi>
              {stored !== null && (
                <span className={styles.dim}>
                  here: <bdi>{stored}</bdi>
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      {group.rows.length > shown && (
        <Button look="quiet" onClick={() => setShown(shown + 200)}>
          Show {formatCount(Math.min(200, group.rows.length - shown))} {shown === 0 ? '' : 'more'}
        </Button>
      )}
      {group.count > group.rows.length && shown >= group.rows.length && (
        <p className={styles.dim}>and {formatCount(group.count - group.rows.length)} more that are not listed</p>
      )}
    </section>
  )
}
