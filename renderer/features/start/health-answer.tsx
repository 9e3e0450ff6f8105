import { useMutation, useQuery } from '@tanstack/react-query'
import type { IntegrityReport } from '#core/contract/integrity.ts'
import { checksMade } from '#core/contract/lists.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { checkTitle } from '#renderer/ui/data/check-titles.ts'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { formatDuration, plural } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { Answer, Figure } from './answer.tsx'
import styles from './start-view.module.css'

const toHealth = (): void => navigate({ view: 'health' }, 'push')

/** Whether the file is sound, by the last check of this window. */
export function HealthAnswer({ info }: { readonly info: MemoryInfo }) {
  const last = useQuery(api.integrity.last.queryOptions())
  const jobs = useQuery(api.jobs.list.queryOptions())
  const start = useMutation(api.jobs.start.mutationOptions({ onSuccess: () => jobs.refetch() }))
  const isChecking = jobs.data?.some(({ kind, state }) => kind === 'integrity' && state === 'running') ?? false
  const report = last.data ?? null
  return (
    <Answer
      question="Is the memory sound?"
      about={report === null ? 'Every check reads only' : <Made report={report} />}
      action={
        last.data === undefined ? null : report !== null ? (
          <WayOn report={report} info={info} />
        ) : isChecking ? (
          <Button onClick={toHealth}>Health →</Button>
        ) : (
          <Button disabled={start.isPending} onClick={() => start.mutate({ kind: 'integrity' })}>
            Check now
          </Button>
        )
      }
    >
      {last.error !== null ? (
        <ErrorLine error={last.error} />
      ) : last.data === undefined ? (
        <Figure figure="…" />
      ) : report === null ? (
        <Figure figure={isChecking ? 'Being checked…' : 'Not checked yet'} />
      ) : (
        <Found report={report} info={info} />
      )}
      {start.error !== null && <ErrorLine error={start.error} />}
    </Answer>
  )
}

function Made({ report }: { readonly report: IntegrityReport }) {
  return (
    <>
      {plural(checksMade(report), 'check')}, {formatDuration(report.durationMs)},{' '}
      <TimeText atMs={report.finishedAtMs} />
    </>
  )
}

type ReportProps = { readonly report: IntegrityReport; readonly info: MemoryInfo }

const isRepairable = ({ checks }: IntegrityReport): boolean =>
  checks.some(({ count, severity, repairable }) => count > 0 && severity !== 'info' && repairable)

function WayOn({ report, info }: ReportProps) {
  if (!isRepairable(report)) return <Button onClick={toHealth}>Health →</Button>
  return (
    <Button look="primary" onClick={toHealth}>
      {info.readOnly ? 'Repair a copy…' : 'Repair…'}
    </Button>
  )
}

function Found({ report, info }: ReportProps) {
  const { error, warning } = report.counts
  if (report.ok)
    return (
      <Figure figure="Nothing is wrong" tone="fine">
        {report.only === undefined ? '' : '· in its structure; the texts of this large file were not read'}
      </Figure>
    )
  const words = [error > 0 && plural(error, 'error'), warning > 0 && plural(warning, 'warning')].filter(Boolean)
  const found = report.checks
    .filter(({ count, severity, notApplicable }) => count > 0 && severity !== 'info' && notApplicable === null)
    .sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error') || b.count - a.count)
  return (
    <>
      <Figure figure={words.join(', ')} tone={error > 0 ? 'error' : 'warning'} />
      <ul className={styles.findings}>
        {found.slice(0, 3).map(({ id, count }) => (
          <li key={id}>
            {checkTitle(id)}
            {count > 1 && <span className="dim"> · {plural(count, 'time')}</span>}
          </li>
        ))}
        {found.length > 3 && <li className="dim">and {plural(found.length - 3, 'other finding')}</li>}
      </ul>
      {isRepairable(report) && (
        <p className="dim">
          {info.readOnly
            ? 'A working copy can be repaired. The file itself stays as it is.'
            : 'Each repair shows its rows before and after, makes a backup first, and can be undone.'}
        </p>
      )}
    </>
  )
}
