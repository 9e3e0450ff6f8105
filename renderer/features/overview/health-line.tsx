import { useQuery } from '@tanstack/react-query'
import { checksMade } from '../../../core/contract/integrity.ts'
import { api } from '../../api.ts'
import { navigate } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Dim } from '../../ui/dim.tsx'
import { plural } from '../../ui/format.ts'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './health-line.module.css'

/** The health of the file in one line. */
export function HealthLine() {
  const last = useQuery(api.integrity.last.queryOptions())
  if (last.data === undefined) return null
  const report = last.data
  const state = report === null ? 'unknown' : report.counts.error > 0 ? 'error' : report.ok ? 'fine' : 'warning'
  return (
    <section className={styles.line} aria-label="Health">
      <span className={styles.dot} data-state={state} aria-hidden="true" />
      {report === null ? (
        <span>The file has not been checked in this window.</span>
      ) : (
        <span>
          {report.ok
            ? 'Nothing wrong was found'
            : `${plural(report.counts.error, 'error')}, ${plural(report.counts.warning, 'warning')}`}{' '}
          <Dim>
            by {plural(checksMade(report), 'check')}, <TimeText atMs={report.finishedAtMs} />
          </Dim>
        </span>
      )}
      <Button onClick={() => navigate({ view: 'integrity' }, 'push')}>
        {report === null ? 'Check it' : report.ok ? 'Show the checks' : 'Show the findings'}
      </Button>
    </section>
  )
}
