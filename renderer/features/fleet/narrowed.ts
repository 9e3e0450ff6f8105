import type { FleetAlarm, FleetQuery } from '../../../core/contract/fleet.ts'

/** What of the fleet is shown, and in which order. */
export type Narrowed = {
  readonly text: string
  readonly tenant: string | null
  readonly alarm: FleetAlarm | null
  readonly sort: FleetQuery['sort']
}

export const EVERYTHING: Narrowed = { text: '', tenant: null, alarm: null, sort: 'pressure' }

export const narrowedInput = ({ text, tenant, alarm, sort }: Narrowed) => ({
  sort,
  ...(text.trim() !== '' && { text: text.trim() }),
  ...(tenant !== null && { tenant }),
  ...(alarm !== null && { alarm }),
})

export const ALARM_TEXTS: Readonly<Record<FleetAlarm, string>> = {
  stalled_ingest: 'stalled',
  empty_summaries: 'empty summaries',
  failing_compaction: 'compaction fails',
}
