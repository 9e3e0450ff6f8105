import type { IntegrityReport } from '../../../core/contract/integrity.ts'
import { useLive } from '../../live.ts'
import { currentFile } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { fileNameOf, formatDuration, plural } from '../../ui/format.ts'
import { Menu } from '../../ui/menu.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { ViewHeader } from '../../ui/view-header.tsx'
import { Finding } from './finding.tsx'
import { groupChecks, reportTitle } from './report-groups.ts'
import { reportMarkdown } from './report-markdown.ts'
import styles from './report-view.module.css'

type Props = { readonly report: IntegrityReport; readonly onScan: () => void }

/** The scan itself touches the file's journal; what is noticed so soon after it is its own doing. */
const OWN_CHANGE_MS = 2000

/** A finished scan. */
export function ReportView({ report, onScan }: Props) {
  const { changedAtMs } = useLive()
  const isStale = changedAtMs !== null && changedAtMs > report.finishedAtMs + OWN_CHANGE_MS
  const { findings, expected, passed, notApplicable } = groupChecks(report.checks)
  return (
    <>
      <ViewHeader
        title={reportTitle(report)}
        actions={
          <>
            <ExportMenu report={report} />
            <Button look="primary" onClick={onScan}>
              Scan again
            </Button>
          </>
        }
      >
        {plural(report.checks.length, 'check')} over {plural(report.messages, 'message')} and{' '}
        {plural(report.summaries, 'summary', 'summaries')} · {formatDuration(report.durationMs)} ·{' '}
        <TimeText atMs={report.finishedAtMs} />
        {isStale && ' · the file has changed since'}
      </ViewHeader>
      {findings.length > 0 && (
        <section className={styles.group}>
          <SectionHeading>Findings</SectionHeading>
          {findings.map((check) => (
            <Finding key={check.id} check={check} />
          ))}
        </section>
      )}
      {expected.length > 0 && (
        <section className={styles.group}>
          <SectionHeading>Expected, not damage</SectionHeading>
          {expected.map((check) => (
            <Finding key={check.id} check={check} />
          ))}
        </section>
      )}
      <section className={styles.group}>
        <SectionHeading>Passed · {passed.length}</SectionHeading>
        <div className={styles.chips}>
          {passed.map((check) => (
            <Chip key={check.id} mono title={check.invariant}>
              {check.id}
            </Chip>
          ))}
        </div>
      </section>
      {notApplicable.length > 0 && (
        <section className={styles.group}>
          <SectionHeading>Not applicable · {notApplicable.length}</SectionHeading>
          <dl className={styles.reasons}>
            {notApplicable.map((check) => (
              <div key={check.id}>
                <dt>{check.id}</dt>
                <dd>{check.notApplicable}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  )
}

function ExportMenu({ report }: { readonly report: IntegrityReport }) {
  const path = currentFile() ?? 'memory'
  const name = `${fileNameOf(path)}.integrity`
  return (
    <Menu
      label="Export the report"
      className={styles.export}
      items={[
        {
          label: 'Markdown',
          onSelect: () => saveFile(`${name}.md`, new Blob([reportMarkdown(report, path)], { type: 'text/markdown' })),
        },
        {
          label: 'JSON',
          onSelect: () =>
            saveFile(`${name}.json`, new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' })),
        },
      ]}
    >
      Export
    </Menu>
  )
}
