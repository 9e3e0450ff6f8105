import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { CheckResult, IntegrityReport } from '#core/contract/integrity.ts'
import type { Job } from '#core/contract/job.ts'
import { checksMade, copyingText } from '#core/contract/lists.ts'
import { api } from '#renderer/api.ts'
import { useLive } from '#renderer/live.ts'
import { currentFile } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { useListKeys } from '#renderer/ui/controls/use-list-keys.ts'
import { ViewHeader } from '#renderer/ui/controls/view-header.tsx'
import { checkTitle } from '#renderer/ui/data/check-titles.ts'
import { saveFile } from '#renderer/ui/data/save-file.ts'
import { fileNameOf, formatDuration, plural } from '#renderer/ui/texts/format.ts'
import { jobText } from '#renderer/ui/texts/job-text.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { Finding } from './finding.tsx'
import { byDesign, byDesignTitle, groupChecks, reportTitle } from './report-groups.ts'
import { reportMarkdown } from './report-markdown.ts'
import styles from './report-view.module.css'

type Props = {
  readonly report: IntegrityReport
  /** The next scan, while it runs. */
  readonly scan: Job | null
  readonly onScan: () => void
  /** Goes to the plan. Null where there is none. */
  readonly onShowPlan: (() => void) | null
  readonly actions?: ReactNode
}

/**
 * A scan touches the journal of the file. A change that is noticed this soon after a scan was made by the scan itself.
 */
const OWN_CHANGE_MS = 2000

/** A finished scan. */
export function ReportView({ report, scan, onScan, onShowPlan, actions }: Props) {
  const { changedAtMs } = useLive()
  const plan = useQuery(api.repair.last.queryOptions())
  const isStale = changedAtMs !== null && changedAtMs > report.finishedAtMs + OWN_CHANGE_MS
  const ways = byDesign(report)
  const { findings, causes, expected, passed, notApplicable } = groupChecks(report.checks, ways)
  useListKeys({
    move: (steps) => focusFinding((current) => current + steps),
    start: () => focusFinding(() => 0),
    end: () => focusFinding((_current, count) => count - 1),
    open: () => undefined,
  })
  return (
    <>
      <ViewHeader
        title={reportTitle(report)}
        actions={
          <>
            {onShowPlan !== null && findings.length > 0 && (
              <Button className={styles.toPlan} onClick={onShowPlan}>
                Repair plan{plan.data && plan.data.steps.length > 0 && ` · ${plural(plan.data.steps.length, 'step')}`}
              </Button>
            )}
            {actions}
            <ExportReport report={report} />
            {scan === null ? (
              <Button look={onShowPlan === null ? 'primary' : 'plain'} onClick={onScan}>
                {report.only === undefined ? 'Check again' : 'Check everything'}
              </Button>
            ) : (
              <CancelScan job={scan} />
            )}
          </>
        }
      >
        {plural(checksMade(report), 'check')} over {plural(report.messages, 'message')} and{' '}
        {plural(report.summaries, 'summary', 'summaries')} · {formatDuration(report.durationMs)} ·{' '}
        <TimeText atMs={report.finishedAtMs} />
        {report.only !== undefined && ' · texts, indexes, files and pages of this large file were not read'}
        {scan !== null ? ` · ${jobText(scan)}` : isStale && ' · the file has changed since'}
      </ViewHeader>
      {report.copying && <Copying {...report.copying} />}
      {causes.length > 0 && (
        <section className={styles.group}>
          <SectionHeading>Findings</SectionHeading>
          {causes.map(({ check, consequences }) => (
            <Finding key={check.id} check={check} consequences={consequences} />
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
      {ways.length > 0 && (
        <section className={styles.group}>
          <SectionHeading>{byDesignTitle(report)}, not damage</SectionHeading>
          {ways.map((check) => (
            <Finding key={check.id} check={check} />
          ))}
        </section>
      )}
      <FoldedChecks title={`Passed · ${passed.length}`} show="Show" checks={passed} textOf={passedText} />
      {notApplicable.length > 0 && (
        <FoldedChecks
          title={`Not applicable · ${notApplicable.length}`}
          show="Show why"
          checks={notApplicable}
          textOf={notApplicableText}
        />
      )}
    </>
  )
}

/** Findings take the focus one after the other, so that Enter unfolds the one that `j` or `k` reached. */
function focusFinding(next: (current: number, count: number) => number): void {
  const all: (Element | null)[] = [...document.querySelectorAll('[data-finding]')]
  const to = all[Math.min(Math.max(next(all.indexOf(document.activeElement), all.length), 0), all.length - 1)]
  if (to instanceof HTMLElement) to.focus()
}

/** The report as a file to attach or to read by a program. */
function ExportReport({ report }: { readonly report: IntegrityReport }) {
  const path = currentFile() ?? 'memory'
  const name = `${fileNameOf(path)}.integrity`
  return (
    <Menu
      label="Export the report"
      isFramed
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

const passedText = ({ invariant }: CheckResult): string => invariant
const notApplicableText = ({ notApplicable }: CheckResult): string | null => notApplicable

/** What copying changed of the findings, so that nobody takes them for what was diagnosed. */
function Copying({ settled, brought }: NonNullable<IntegrityReport['copying']>) {
  return (
    <section className={styles.copying} aria-label="What copying changed">
      <p>{copyingText({ settled, brought })}</p>
      <Facts>
        <Fact name="settled">{settled.length === 0 ? null : <CheckNames ids={settled} />}</Fact>
        <Fact name="brought">{brought.length === 0 ? null : <CheckNames ids={brought} />}</Fact>
      </Facts>
    </section>
  )
}

function CheckNames({ ids }: { readonly ids: readonly string[] }) {
  return ids.map((id, index) => (
    <span key={id} title={id}>
      {checkTitle(id)}
      {index < ids.length - 1 && ' · '}
    </span>
  ))
}

type FoldedChecksProps = {
  readonly title: string
  /** The words of the button that unfolds them. */
  readonly show: string
  readonly checks: readonly CheckResult[]
  readonly textOf: (check: CheckResult) => string | null
}

/** Checks that found nothing or were not made, folded: each with a sentence. */
function FoldedChecks({ title, show, checks, textOf }: FoldedChecksProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section className={styles.group}>
      <SectionHeading
        aside={
          <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Fold' : show}
          </Button>
        }
      >
        {title}
      </SectionHeading>
      {isOpen && (
        <dl className={styles.reasons}>
          {checks.map((check) => (
            <div key={check.id}>
              <dt>{check.id}</dt>
              <dd>{textOf(check)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

/** Ends a scan; what was reported last stays. */
export function CancelScan({ job }: { readonly job: Job }) {
  const cancel = useMutation(api.jobs.cancel.mutationOptions())
  return (
    <Button disabled={cancel.isPending || cancel.isSuccess} onClick={() => cancel.mutate({ jobId: job.jobId })}>
      {cancel.isSuccess ? 'Cancelling…' : 'Cancel'}
    </Button>
  )
}
