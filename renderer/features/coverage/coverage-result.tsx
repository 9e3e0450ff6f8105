import type { CoverageReport } from '../../../core/contract/coverage.ts'
import { fileNameOf, formatCount, plural } from '../../ui/format.ts'
import styles from './coverage.module.css'
import { sectionsOf, verdictOf } from './coverage-sections.ts'
import { FindingsTable } from './findings-table.tsx'

type Props = {
  readonly report: CoverageReport
  /** A message was chosen: it is shown behind the dialog. */
  readonly onLeave: () => void
}

/** What the comparison found, kind by kind. */
export function CoverageResult({ report, onLeave }: Props) {
  return (
    <>
      <div>
        <h3 className={styles.verdict} data-ok={report.ok}>
          {verdictOf(report)}
        </h3>
        <p className={styles.figures} title={report.path}>
          {plural(report.inTranscript, 'message')} in {fileNameOf(report.path)}, {formatCount(report.inDatabase)} in the
          memory, {formatCount(report.matched)} of them the same
          {report.skippedLines > 0 && ` · ${plural(report.skippedLines, 'line')} of the transcript cannot be read`}
        </p>
      </div>
      {sectionsOf(report).map((section) => (
        <FindingsTable key={section.title} section={section} onLeave={onLeave} />
      ))}
      {report.notes.map((note) => (
        <p key={note} className={styles.figures}>
          {note}
        </p>
      ))}
    </>
  )
}
