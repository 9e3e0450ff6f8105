import type { FleetAlarm, FleetReport } from '../../../core/contract/fleet.ts'
import { Chip } from '../../ui/chip.tsx'
import { plural } from '../../ui/format.ts'
import styles from './fleet-page.module.css'
import type { Narrowed } from './narrowed.ts'

type Props = {
  readonly alarms: FleetReport['alarms']
  readonly narrowed: Narrowed
  readonly onNarrow: (narrowed: Narrowed) => void
}

/** What is wrong in the whole fleet. A click shows only what is concerned. */
export function AlarmLine({ alarms, narrowed, onNarrow }: Props) {
  const all: readonly (readonly [FleetAlarm, number, string, string])[] = [
    [
      'stalled_ingest',
      alarms.stalledIngest.length,
      `Nothing was added for a day to ${plural(alarms.stalledIngest.length, 'tenant')}`,
      alarms.stalledIngest.map(({ tenant }) => tenant).join(', '),
    ],
    [
      'empty_summaries',
      alarms.emptySummaries,
      `Empty summaries in ${plural(alarms.emptySummaries, 'conversation')}`,
      'A summary without a text stands in for messages',
    ],
    [
      'failing_compaction',
      alarms.failingCompaction,
      `Compaction fails in ${plural(alarms.failingCompaction, 'conversation')}`,
      'The newest run of each ended without success',
    ],
  ]
  const raised = all.filter(([, count]) => count > 0)
  if (raised.length === 0) return null
  return (
    <section className={styles.alarms} aria-label="Alarms">
      {raised.map(([alarm, , text, why]) => (
        <Chip
          key={alarm}
          tone={narrowed.alarm === alarm ? 'lit' : 'warning'}
          title={why}
          onClick={() => onNarrow({ ...narrowed, alarm: narrowed.alarm === alarm ? null : alarm })}
        >
          {text}
        </Chip>
      ))}
    </section>
  )
}
