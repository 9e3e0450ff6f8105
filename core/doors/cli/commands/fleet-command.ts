import { z } from 'zod'
import { FleetQuery, FleetReport, type FleetRow } from '#core/contract/fleet.ts'
import { plural } from '#core/text.ts'
import { runToEnd } from '#core/yielding.ts'
import { defineCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { count, oneLine, percent, table } from '../output/text.ts'
import { addressField, tenantField, withPostgres, withReplica } from '../postgres-session.ts'

/** The conversations of all tenants that the role may see. */
export const fleet = defineCommand({
  name: 'fleet',
  example: 'fleet postgres://ada@db.example.com/lcm --sort growth',
  fields: z.object({
    address: addressField,
    ...FleetQuery.shape,
    tenant: tenantField.meta({
      description: 'of this tenant only (default: ?tenant= of the address, else all)',
      value: 'name',
    }),
    check: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe('first check so many conversations that were written to since their last check'),
  }),
  positional: ['address'],
  prints: FleetReport,
  run: async ({ address, check, ...given }) => {
    const { loadSettings } = await import('#core/settings/settings-store.ts')
    const { budgetTokens } = loadSettings(process.env).compaction
    const connected = check === undefined ? withReplica : withPostgres
    const report = await connected(address, async (from, named) => {
      const tenant = given.tenant ?? named.tenant
      const asked = { ...given, ...(tenant !== null && { tenant }) }
      const checked =
        check === undefined
          ? 0
          : await interruptible((signal) =>
              from.check({ limit: check, tenant, scan: findingsIn, now: Date.now }, signal),
            )
      return { ...(await from.fleet(asked, { budgetTokens, nowMs: Date.now() })), checked }
    })
    return { json: report, text: () => fleetText(report, given) }
  },
})

async function findingsIn(path: string, signal: AbortSignal): Promise<number> {
  const { openLcm } = await import('#core/lcm.ts')
  const lcm = await openLcm(path, { readOnly: true })
  try {
    const { integrity } = await lcm.doctor()
    const { counts } = await runToEnd(integrity.run(undefined, signal))
    return counts.error + counts.warning
  } finally {
    lcm.close()
  }
}

const LABEL_WIDTH = 40
const NOTHING_SEEN =
  'Either nothing is there, or the role sees no such tenant: lcm.tenant_access says which it may see, and "lcm copy --to" brings a memory there.'

function fleetText(report: FleetReport, { text, alarm }: Pick<FleetQuery, 'text' | 'alarm'>): string {
  const { alarms, conversations } = report
  const stalled = alarms.stalledIngest.map(
    ({ tenant, lastIngestAtMs }) => `${oneLine(tenant, 40)} (${time(lastIngestAtMs)})`,
  )
  return [
    ...(stalled.length > 0 ? [`Nothing was added lately to ${stalled.join(', ')}.`] : []),
    ...(alarms.emptySummaries > 0 ? [`Empty summaries: in ${plural(alarms.emptySummaries, 'conversation')}.`] : []),
    ...(alarms.failingCompaction > 0
      ? [`The last compaction of ${plural(alarms.failingCompaction, 'conversation')} failed.`]
      : []),
    table(
      [
        'tenant',
        'conversation',
        'title',
        'messages',
        'window',
        'last message',
        'last run',
        'failed',
        'findings',
        'today',
        'alarms',
      ],
      conversations.map(cells),
    ),
    '',
    `${count(conversations.length)} of ${report.totalIsExact ? '' : 'more than '}${plural(report.total, 'conversation')} in ${report.address}.`,
    ...(report.total === 0 && text === undefined && alarm === undefined ? [NOTHING_SEEN] : []),
    ...(report.nextCursor === null ? [] : [`goes on with --cursor ${report.nextCursor}`]),
  ].join('\n')
}

const cells = (row: FleetRow): (string | number | null)[] => [
  oneLine(row.tenant, 40),
  row.conversationId,
  oneLine(row.label, LABEL_WIDTH),
  row.messages,
  percent(row.pressure),
  time(row.lastIngestAtMs),
  time(row.lastRunAtMs),
  row.failedRuns,
  row.findings === null ? '–' : `${count(row.findings)}${row.isCheckCurrent ? '' : ' (old)'}`,
  row.growthTokens,
  row.alarms.join(' '),
]

const time = (ms: number | null): string => (ms === null ? '–' : `${new Date(ms).toISOString().slice(0, 16)}Z`)
