import type { FleetQuery } from '#core/contract/fleet.ts'
import type { Query } from '../postgres/connect.ts'
import type { countAlarm, countFleet, FleetFilters, FleetPage, FleetTotals } from '../postgres/fleet-rows.ts'
import { msOf, readableSchemas, VoltTables } from './tables.ts'

/** Beyond this many conversations an order that reads their windows would take too long: the newest come first. */
const SUMMED = 5_000
const COUNTED = 100_000
const ALARMS_COUNTED = 1000
const DAY_MS = 86_400_000
const TITLE = String.raw`^\[VoltCode Session: ([^\]]+)\]\s*`

/** What the order is by, over the conversation `t`. Volt keeps no sums, so that each is looked up or added up. */
const ORDERS = {
  newest: (volt: VoltTables) => `coalesce((${newestAt(volt)}), 0)`,
  messages: (volt: VoltTables) => `coalesce((
    SELECT seq FROM ${volt.at('messages')} AS m WHERE m.conversation_id = t.conversation_id ORDER BY seq DESC LIMIT 1
  ), 0)`,
  pressure: (volt: VoltTables) => `coalesce((${windowTokens(volt)}), 0)`,
}

const newestAt = (volt: VoltTables): string => /* sql */ `
  SELECT ${msOf('m.created_at')} FROM ${volt.at('messages')} AS m
  WHERE m.conversation_id = t.conversation_id ORDER BY m.seq DESC LIMIT 1`

const windowTokens = (volt: VoltTables): string => /* sql */ `
  SELECT sum(coalesce(m.token_count, s.token_count))::bigint FROM ${volt.at('context_items')} AS i
  LEFT JOIN ${volt.at('messages')} AS m ON m.message_id = i.message_id
  LEFT JOIN ${volt.at('summaries')} AS s ON s.summary_id = i.summary_id
  WHERE i.conversation_id = t.conversation_id`

const queries = {
  page: (volt: VoltTables, order: string, where: string, goesOn: string) => /* sql */ `
    WITH page AS (
      SELECT t.conversation_id, t.title, ${order} AS ordered FROM ${volt.at('conversations')} AS t WHERE ${where}
    )
    SELECT t.conversation_id AS "conversationId", t.ordered AS "orderedBy",
      left(coalesce(nullif(btrim(regexp_replace(t.title, '${TITLE}', '')), ''),
        substring(t.title FROM '${TITLE}'), '#' || t.conversation_id), 200) AS label,
      m.messages, m.tokens AS "messageTokens", m.today AS "dayTokens", (${newestAt(volt)}) AS "lastIngestAtMs",
      s.summaries, s.empty AS "emptySummaries",
      (SELECT count(*)::int FROM ${volt.at('context_items')} AS i WHERE i.conversation_id = t.conversation_id) AS "windowItems",
      coalesce((${windowTokens(volt)}), 0) AS "windowTokens"
    FROM (SELECT * FROM page WHERE ${goesOn} ORDER BY ordered DESC, conversation_id LIMIT $1) AS t
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS messages, coalesce(sum(token_count), 0)::bigint AS tokens,
        coalesce(sum(token_count) FILTER (WHERE created_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'), 0)::bigint AS today
      FROM ${volt.at('messages')} WHERE conversation_id = t.conversation_id
    ) AS m
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS summaries, count(*) FILTER (WHERE ${IS_EMPTY})::int AS empty
      FROM ${volt.at('summaries')} WHERE conversation_id = t.conversation_id
    ) AS s
    ORDER BY t.ordered DESC, t.conversation_id`,
  count: (volt: VoltTables, where: string, most: number) => /* sql */ `
    SELECT count(*)::int AS n FROM (SELECT 1 FROM ${volt.at('conversations')} AS t WHERE ${where} LIMIT ${most + 1}) AS f`,
  newest: (volt: VoltTables) => /* sql */ `
    SELECT ${msOf('m.created_at')} AS at FROM ${volt.at('messages')} AS m ORDER BY m.message_id DESC LIMIT 1`,
  today: /* sql */ `SELECT (extract(epoch FROM now()) * 1000)::bigint AS now`,
}

/** A long text is not empty, whatever it consists of; it is not fetched to find that out. */
const IS_EMPTY = `octet_length(content) < 1000 AND btrim(content, E' \\t\\r\\n') = ''`

const EMPTY_ONES = (volt: VoltTables): string =>
  `EXISTS (SELECT 1 FROM ${volt.at('summaries')} WHERE conversation_id = t.conversation_id AND ${IS_EMPTY})`

/** The tables of every user that the role may read, or of the one who is asked for. */
async function tablesOf(query: Query, tenant: string | null): Promise<{ name: string; volt: VoltTables }[]> {
  const names = tenant === null ? await readableSchemas(query) : [tenant]
  const found: { name: string; volt: VoltTables }[] = []
  for (const name of names) {
    const volt = await VoltTables.of(query, name)
    if (volt !== null) found.push({ name, volt })
  }
  return found
}

/** One page over all users: each gives its first rows, and the first of those are the page. */
export async function readPage(
  query: Query,
  filters: FleetFilters,
  { sort, limit, after }: FleetPage,
): Promise<FleetTotals[]> {
  const tables = await tablesOf(query, filters.tenant)
  const order = await orderOf(query, tables, sort)
  const [clock] = await query<{ now: number }>(queries.today)
  const day = Math.floor(Number(clock?.now) / DAY_MS)
  const rows: FleetTotals[] = []
  for (const { name, volt } of tables) {
    const { sql, values } = conditionOf(volt, name, filters, 1)
    const at = values.length + 2
    // Users follow each other by name where the order is the same: what is before has been listed.
    const position = after === null ? [] : [after.value, after.conversationId]
    const isLater = after !== null && name > after.tenant
    const tie =
      after === null
        ? ''
        : name === after.tenant
          ? ` OR (ordered = $${at} AND conversation_id > $${at + 1}::bigint)`
          : ` OR (ordered = $${at} AND ${isLater} AND $${at + 1}::bigint IS NOT NULL)`
    const goesOn = after === null ? 'true' : `(ordered < $${at}${tie})`
    const page = await query(queries.page(volt, ORDERS[order](volt), sql, goesOn), [limit, ...values, ...position])
    rows.push(...page.map((row) => totalsOf(name, row, day)))
    rows.sort(byOrder)
    rows.length = Math.min(rows.length, limit)
  }
  return rows
}

function totalsOf(tenant: string, row: Readonly<Record<string, unknown>>, day: number): FleetTotals {
  const number = (name: string): number => Number(row[name] ?? 0)
  return {
    tenant,
    conversationId: number('conversationId'),
    label: String(row.label),
    archivedAtMs: null,
    messages: number('messages'),
    messageTokens: number('messageTokens'),
    summaries: number('summaries'),
    emptySummaries: number('emptySummaries'),
    windowItems: number('windowItems'),
    windowTokens: number('windowTokens'),
    runs: 0,
    failedRuns: 0,
    isFailing: false,
    lastRunAtMs: null,
    lastIngestAtMs: row.lastIngestAtMs === null ? null : number('lastIngestAtMs'),
    day,
    dayTokens: number('dayTokens'),
    findings: null,
    checkedAtMs: null,
    isCheckCurrent: false,
    orderedBy: number('orderedBy'),
  }
}

const byOrder = (a: FleetTotals, b: FleetTotals): number =>
  b.orderedBy - a.orderedBy ||
  (a.tenant < b.tenant ? -1 : a.tenant > b.tenant ? 1 : a.conversationId - b.conversationId)

type Tables = readonly { readonly name: string; readonly volt: VoltTables }[]

async function orderOf(query: Query, tables: Tables, sort: FleetQuery['sort']): Promise<keyof typeof ORDERS> {
  if (sort === 'messages') return sort
  if (sort !== 'pressure') return 'newest'
  let left = SUMMED
  for (const { volt } of tables) {
    const [found] = await query<{ n: number }>(queries.count(volt, 'true', left))
    left -= found?.n ?? 0
    if (left < 0) return 'newest'
  }
  return sort
}

/** The filters as a condition on the conversation `t`, with its values, numbered after `first`. */
function conditionOf(
  volt: VoltTables,
  name: string,
  filters: FleetFilters,
  first: number,
): { readonly sql: string; readonly values: unknown[] } {
  const values: unknown[] = []
  const value = (one: unknown): string => {
    values.push(one)
    return `$${first + values.length}`
  }
  const parts = ['true']
  if (filters.minWindowTokens !== null) {
    parts.push(`coalesce((${windowTokens(volt)}), 0) >= ${value(filters.minWindowTokens)}`)
  }
  if (filters.text !== null) parts.push(`position(lower(${value(filters.text)}) IN lower(coalesce(t.title, ''))) > 0`)
  if (filters.alarm === 'stalled_ingest') parts.push(String(filters.stalled.includes(name)))
  // Volt records no runs, so that none has failed.
  if (filters.alarm === 'failing_compaction') parts.push('false')
  if (filters.alarm === 'empty_summaries') parts.push(EMPTY_ONES(volt))
  return { sql: parts.join(' AND '), values }
}

export const countConversations: typeof countFleet = async (query, filters) => {
  let total = 0
  for (const { name, volt } of await tablesOf(query, filters.tenant)) {
    const { sql, values } = conditionOf(volt, name, filters, 0)
    const [found] = await query<{ n: number }>(queries.count(volt, sql, COUNTED), values)
    total += found?.n ?? 0
    if (total > COUNTED) break
  }
  return { total: Math.min(total, COUNTED), totalIsExact: total <= COUNTED }
}

export const countVoltAlarm: typeof countAlarm = async (query, alarm) => {
  if (alarm !== 'empty_summaries') return 0
  let total = 0
  for (const { volt } of await tablesOf(query, null)) {
    const [found] = await query<{ n: number }>(queries.count(volt, EMPTY_ONES(volt), ALARMS_COUNTED))
    total += found?.n ?? 0
    if (total >= ALARMS_COUNTED) break
  }
  return Math.min(total, ALARMS_COUNTED)
}

export async function readStalledUsers(
  query: Query,
  fromMs: number,
  toMs: number,
): Promise<{ tenant: string; lastIngestAtMs: number }[]> {
  const stalled: { tenant: string; lastIngestAtMs: number }[] = []
  for (const { name, volt } of await tablesOf(query, null)) {
    const [found] = await query<{ at: number | null }>(queries.newest(volt))
    const at = Number(found?.at ?? 0)
    if (at >= fromMs && at <= toMs) stalled.push({ tenant: name, lastIngestAtMs: at })
  }
  return stalled.toSorted((a, b) => a.lastIngestAtMs - b.lastIngestAtMs).slice(0, 100)
}
