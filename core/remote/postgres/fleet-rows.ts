import type { FleetAlarm, FleetQuery } from '#core/contract/fleet.ts'
import type { Query } from './connect.ts'

/** Where a page goes on: the value that the order is by, and the keys of the last row. */
type FleetPosition = { readonly value: number; readonly tenant: string; readonly conversationId: number }

/** What of a conversation is kept in step with its rows. */
export type FleetTotals = {
  readonly tenant: string
  readonly conversationId: number
  readonly label: string
  readonly archivedAtMs: number | null
  readonly messages: number
  readonly messageTokens: number
  readonly summaries: number
  readonly emptySummaries: number
  readonly windowItems: number
  readonly windowTokens: number
  readonly runs: number
  readonly failedRuns: number
  readonly isFailing: boolean
  readonly lastRunAtMs: number | null
  readonly lastIngestAtMs: number | null
  readonly day: number | null
  readonly dayTokens: number
  readonly findings: number | null
  readonly checkedAtMs: number | null
  readonly isCheckCurrent: boolean
  readonly orderedBy: number
}

/** Each stands on an index as it is written here. */
const ORDERS: Readonly<Record<FleetQuery['sort'], string>> = {
  pressure: 'window_tokens',
  ingest: 'coalesce(last_ingest_at, 0)',
  run: 'coalesce(last_run_at, 0)',
  failures: 'failed_runs',
  findings: 'coalesce(findings, 0)',
  growth: '(coalesce(day, 0) * 100000000000 + least(day_tokens, 99999999999))',
  messages: 'messages',
}

/** Conditions on a row, with the alarm of a tenant as a list of the tenants that have it. */
const CONDITIONS: Readonly<Record<Exclude<FleetAlarm, 'stalled_ingest'>, string>> = {
  empty_summaries: 'empty_summaries > 0',
  failing_compaction: 'last_failed_at >= last_run_at',
}

const COUNTED = 100_000
const ALARMS_COUNTED = 1000
const STALLED_LISTED = 100

const queries = {
  page: (order: string, where: string) => /* sql */ `
    SELECT tenant_id AS tenant, conversation_id AS "conversationId", label, archived_at AS "archivedAtMs", messages,
      message_tokens AS "messageTokens", summaries, empty_summaries AS "emptySummaries",
      window_items AS "windowItems", window_tokens AS "windowTokens", runs, failed_runs AS "failedRuns",
      coalesce(last_failed_at >= last_run_at, false) AS "isFailing", last_run_at AS "lastRunAtMs",
      last_ingest_at AS "lastIngestAtMs", day, day_tokens AS "dayTokens", findings, checked_at AS "checkedAtMs",
      coalesce(checked_writes = writes, false) AS "isCheckCurrent", ${order} AS "orderedBy"
    FROM lcm.conversation_totals WHERE ${where}
    ORDER BY ${order} DESC, tenant_id, conversation_id LIMIT $1`,
  count: (where: string, most: number) => /* sql */ `
    SELECT count(*)::int AS n FROM (SELECT 1 FROM lcm.conversation_totals WHERE ${where} LIMIT ${most + 1}) AS found`,
  /** One step in the index for each tenant, however many conversations it has. */
  stalled: /* sql */ `
    SELECT t.tenant_id AS tenant, newest.at AS "lastIngestAtMs" FROM lcm.tenants AS t
    CROSS JOIN LATERAL (
      SELECT max(last_ingest_at) AS at FROM lcm.conversation_totals AS c WHERE c.tenant_id = t.tenant_id
    ) AS newest
    WHERE newest.at BETWEEN $1 AND $2 ORDER BY newest.at, t.tenant_id LIMIT ${STALLED_LISTED}`,
  unchecked: /* sql */ `
    SELECT tenant_id AS tenant, conversation_id AS "conversationId", writes FROM lcm.conversation_totals
    WHERE checked_writes IS DISTINCT FROM writes AND ($2::text IS NULL OR tenant_id = $2)
    ORDER BY checked_at NULLS FIRST, tenant_id, conversation_id LIMIT $1`,
  record: /* sql */ `
    UPDATE lcm.conversation_totals SET findings = $3, checked_writes = $4, checked_at = $5
    WHERE tenant_id = $1 AND conversation_id = $2`,
}

export type FleetFilters = {
  readonly tenant: string | null
  readonly alarm: FleetAlarm | null
  readonly text: string | null
  readonly minWindowTokens: number | null
  readonly stalled: readonly string[]
}

/** The filters as a condition with its values, numbered after `first`. */
function conditionOf(filters: FleetFilters, first: number): { readonly sql: string; readonly values: unknown[] } {
  const values: unknown[] = []
  const value = (one: unknown): string => {
    values.push(one)
    return `$${first + values.length}`
  }
  const parts = ['true']
  if (filters.tenant !== null) parts.push(`tenant_id = ${value(filters.tenant)}`)
  if (filters.minWindowTokens !== null) parts.push(`window_tokens >= ${value(filters.minWindowTokens)}`)
  if (filters.text !== null) {
    const pattern = `%${filters.text.replace(/[\\%_]/g, '\\$&')}%`
    parts.push(`(tenant_id, conversation_id) IN (SELECT * FROM lcm.find_labels(${value(pattern)}))`)
  }
  if (filters.alarm === 'stalled_ingest') parts.push(`tenant_id = ANY (${value(filters.stalled)}::text[])`)
  else if (filters.alarm !== null) parts.push(CONDITIONS[filters.alarm])
  return { sql: parts.join(' AND '), values }
}

/** Which page is asked for. */
export type FleetPage = {
  readonly sort: FleetQuery['sort']
  readonly limit: number
  readonly after: FleetPosition | null
}

export function readFleetPage(
  query: Query,
  filters: FleetFilters,
  { sort, limit, after }: FleetPage,
): Promise<FleetTotals[]> {
  const order = ORDERS[sort]
  const { sql, values } = conditionOf(filters, 1)
  if (after === null) return query<FleetTotals>(queries.page(order, sql), [limit, ...values])
  const at = values.length + 2
  const goesOn = `${order} <= $${at} AND (${order} < $${at} OR (tenant_id, conversation_id) > ($${at + 1}, $${at + 2}))`
  const position = [after.value, after.tenant, after.conversationId]
  return query<FleetTotals>(queries.page(order, `${sql} AND ${goesOn}`), [limit, ...values, ...position])
}

/** Counts up to a limit, so that the answer takes no longer over millions. */
export async function countFleet(
  query: Query,
  filters: FleetFilters,
): Promise<{ readonly total: number; readonly totalIsExact: boolean }> {
  const { sql, values } = conditionOf(filters, 0)
  const [found] = await query<{ n: number }>(queries.count(sql, COUNTED), values)
  const n = found?.n ?? 0
  return { total: Math.min(n, COUNTED), totalIsExact: n <= COUNTED }
}

export async function countAlarm(query: Query, alarm: keyof typeof CONDITIONS): Promise<number> {
  const [found] = await query<{ n: number }>(queries.count(CONDITIONS[alarm], ALARMS_COUNTED))
  return Math.min(found?.n ?? 0, ALARMS_COUNTED)
}

export const readStalled = (
  query: Query,
  fromMs: number,
  toMs: number,
): Promise<{ tenant: string; lastIngestAtMs: number }[]> => query(queries.stalled, [fromMs, toMs])

export type Unchecked = { readonly tenant: string; readonly conversationId: number; readonly writes: number }

/** Conversations that were written to since they were checked, those that were never checked first. */
export const readUnchecked = (query: Query, limit: number, tenant: string | null): Promise<Unchecked[]> =>
  query<Unchecked>(queries.unchecked, [limit, tenant])

export async function recordFindings(
  query: Query,
  { tenant, conversationId, writes }: Unchecked,
  { findings, atMs }: { readonly findings: number; readonly atMs: number },
): Promise<void> {
  await query(queries.record, [tenant, conversationId, findings, writes, atMs])
}
