import { z } from 'zod'
import { TenantName } from './ids.ts'
import { FLEET_ALARMS, FLEET_SORTS } from './lists.ts'

const Count = z.number().int().nonnegative()
const Time = z.number().nullable()

/** What is wrong with a conversation, or with what is stored for a tenant. */
export const FleetAlarm = z.enum(FLEET_ALARMS)
export type FleetAlarm = z.infer<typeof FleetAlarm>

/** Which conversations of all tenants are listed, and in which order: the greatest or newest first. */
export const FleetQuery = z.object({
  tenant: TenantName.optional().describe('of this tenant only'),
  alarm: FleetAlarm.optional().describe('only with this alarm; with stalled_ingest, of tenants that have it'),
  text: z.string().min(1).max(200).optional().describe('whose title, or session without one, contains this'),
  minPressure: z.number().nonnegative().optional().describe('whose windows fill at least this share of the budget'),
  sort: z.enum(FLEET_SORTS).default('pressure').describe('the greatest or newest first'),
  stalledAfterHours: z
    .number()
    .positive()
    .max(24 * 7)
    .default(24)
    .describe('a tenant to which nothing was added for so long, but within a week, has stalled'),
  limit: z.int().min(1).max(1000).default(50).describe('conversations of a page'),
  cursor: z.string().optional().describe('where the last page ended: nextCursor of its answer'),
})
export type FleetQuery = z.infer<typeof FleetQuery>

export const FleetRow = z.object({
  tenant: z.string(),
  conversationId: z.number().int(),
  /** The title, or the session where there is none. */
  label: z.string(),
  archivedAtMs: Time,
  messages: Count,
  messageTokens: Count,
  summaries: Count,
  windowItems: Count,
  windowTokens: Count,
  /** Tokens of the window ÷ budget. */
  pressure: z.number().nonnegative(),
  lastIngestAtMs: Time,
  lastRunAtMs: Time,
  runs: Count,
  failedRuns: Count,
  emptySummaries: Count,
  /** Errors and warnings of the last check; null when it was never checked. */
  findings: Count.nullable(),
  checkedAtMs: Time,
  /** Nothing was written since the last check. */
  isCheckCurrent: z.boolean(),
  /** Tokens of messages that were added today (UTC). */
  growthTokens: Count,
  alarms: z.array(FleetAlarm),
})
export type FleetRow = z.infer<typeof FleetRow>

/** One page of the conversations of all tenants that the role may see. */
export const FleetReport = z.object({
  /** The address without a password. */
  address: z.string(),
  budgetTokens: Count,
  /** Conversations that the filters let through; a count that is not exact is a lower bound. */
  total: Count,
  totalIsExact: z.boolean(),
  conversations: z.array(FleetRow),
  nextCursor: z.string().nullable(),
  alarms: z.object({
    /** Tenants to which nothing was added for a while, the longest first; at most 100. */
    stalledIngest: z.array(z.object({ tenant: z.string(), lastIngestAtMs: z.number() })),
    /** Conversations; counted up to 1000. */
    emptySummaries: Count,
    failingCompaction: Count,
  }),
  /** Conversations that were checked for this answer. */
  checked: Count,
})
export type FleetReport = z.infer<typeof FleetReport>
