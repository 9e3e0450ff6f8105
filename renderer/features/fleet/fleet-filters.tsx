import { useRef } from 'react'
import type { FleetAlarm, FleetQuery, FleetReport } from '#core/contract/fleet.ts'
import { FLEET_ALARMS } from '#core/contract/lists.ts'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { SelectField } from '#renderer/ui/controls/select-field.tsx'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import field from '#renderer/ui/styles/search-input.module.css'
import { plural } from '#renderer/ui/texts/format.ts'
import styles from './fleet-page.module.css'

/** Which conversations are listed. */
export type Filters = {
  readonly text: string
  readonly tenant: string | null
  readonly alarm: FleetAlarm | null
}

export const NO_FILTERS: Filters = { text: '', tenant: null, alarm: null }

export const isFiltered = ({ text, tenant, alarm }: Filters): boolean =>
  text !== '' || tenant !== null || alarm !== null

/** The filters as the core is asked for them. */
export const filterInput = ({ text, tenant, alarm }: Filters): Partial<FleetQuery> => ({
  ...(text.trim() !== '' && { text: text.trim() }),
  ...(tenant !== null && { tenant }),
  ...(alarm !== null && { alarm }),
})

export const ALARM_TEXTS: Readonly<Record<FleetAlarm, string>> = {
  stalled_ingest: 'stalled',
  empty_summaries: 'empty summaries',
  failing_compaction: 'compaction fails',
}

type Props = {
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
}

/** What is wrong in the whole fleet. A click lists only the conversations with that alarm. */
export function AlarmLine({ alarms, filters, onFilters }: Props & { readonly alarms: FleetReport['alarms'] }) {
  const raised = alarmLines(alarms).filter(({ count }) => count > 0)
  if (raised.length === 0) return null
  return (
    <section className={styles.alarms} aria-label="Alarms">
      {raised.map(({ alarm, text, reason }) => (
        <Chip
          key={alarm}
          tone={filters.alarm === alarm ? 'lit' : 'warning'}
          title={reason}
          onClick={() => onFilters({ ...filters, alarm: filters.alarm === alarm ? null : alarm })}
        >
          {text}
        </Chip>
      ))}
    </section>
  )
}

const alarmLines = ({ stalledIngest, emptySummaries, failingCompaction }: FleetReport['alarms']) =>
  [
    {
      alarm: 'stalled_ingest',
      count: stalledIngest.length,
      text: `Nothing was added for a day to ${plural(stalledIngest.length, 'tenant')}`,
      reason: stalledIngest.map(({ tenant }) => tenant).join(', '),
    },
    {
      alarm: 'empty_summaries',
      count: emptySummaries,
      text: `Empty summaries in ${plural(emptySummaries, 'conversation')}`,
      reason: 'A summary without a text stands in for messages',
    },
    {
      alarm: 'failing_compaction',
      count: failingCompaction,
      text: `Compaction fails in ${plural(failingCompaction, 'conversation')}`,
      reason: 'The newest run of each ended without success',
    },
  ] as const

/** The fields of the filters, and how many conversations they let through. */
export function FleetFilters({ filters, onFilters, total }: Props & { readonly total: string }) {
  const input = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => input.current?.focus() })
  return (
    <div className={styles.filters}>
      <label className={field.field}>
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          aria-label="Filter conversations by title"
          placeholder="Filter by title or session"
          spellCheck={false}
          value={filters.text}
          onChange={(event) => onFilters({ ...filters, text: event.target.value })}
        />
      </label>
      {filters.tenant !== null && (
        <Chip tone="lit" title="Show all tenants" onClick={() => onFilters({ ...filters, tenant: null })}>
          tenant {filters.tenant} ×
        </Chip>
      )}
      <SelectField
        label="Alarm"
        options={[
          { value: '', label: 'any or none' },
          ...FLEET_ALARMS.map((alarm) => ({ value: alarm, label: ALARM_TEXTS[alarm] })),
        ]}
        value={filters.alarm ?? ''}
        onChange={(value) => onFilters({ ...filters, alarm: FLEET_ALARMS.find((alarm) => alarm === value) ?? null })}
      />
      <span className={styles.total}>{total}</span>
    </div>
  )
}
