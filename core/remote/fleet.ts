import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { FleetAlarm, FleetQuery, FleetReport, FleetRow } from '../contract/fleet.ts'
import type { JobProgress } from '../contract/job.ts'
import { badCursor, decodeCursor, encodeCursor } from '../cursor.ts'
import type { CheckOptions } from '../database.ts'
import { makeTemporaryFolder } from '../sqlite/process-folder.ts'
import { yieldToOthers } from '../yielding.ts'
import { LOOKING_MS, type Postgres } from './postgres/connect.ts'
import { type FleetFilters, type FleetTotals, readUnchecked, recordFindings } from './postgres/fleet-rows.ts'
import { pullConversation } from './pull.ts'
import { requireOurs, storeIn } from './remote-stores.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A tenant that was silent for longer has ended, not stalled. */
const STALLED_AT_MOST_MS = 7 * DAY_MS
const CANCELLED = 'Checking was cancelled; what was found so far is kept.'

const Position = z.object({ sort: z.string(), value: z.number(), tenant: z.string(), conversationId: z.number() })

/** One page of the conversations of all tenants that the role may see. Reads sums only, no conversation. */
export async function readFleet(
  from: Postgres,
  asked: FleetQuery,
  { budgetTokens, nowMs }: { readonly budgetTokens: number; readonly nowMs: number },
): Promise<FleetReport> {
  const store = await storeIn(from)
  const after = asked.cursor === undefined ? null : decodeCursor(asked.cursor, Position)
  if (after !== null && after.sort !== asked.sort) throw badCursor('it belongs to another order')
  const work = async (query: Parameters<Parameters<Postgres['read']>[1]>[0]): Promise<FleetReport> => {
    const stalledIngest = await store.fleet.stalled(
      query,
      nowMs - STALLED_AT_MOST_MS,
      nowMs - asked.stalledAfterHours * HOUR_MS,
    )
    const stalled = stalledIngest.map(({ tenant }) => tenant)
    const filters: FleetFilters = {
      tenant: asked.tenant ?? null,
      alarm: asked.alarm ?? null,
      text: asked.text ?? null,
      minWindowTokens: asked.minPressure === undefined ? null : Math.ceil(asked.minPressure * budgetTokens),
      stalled,
    }
    // One more row than the page says whether another page follows.
    const rows = await store.fleet.page(query, filters, { sort: asked.sort, limit: asked.limit + 1, after })
    const page = rows.slice(0, asked.limit)
    const last = rows.length > page.length ? page.at(-1) : undefined
    return {
      address: from.shown,
      budgetTokens,
      ...(await store.fleet.count(query, filters)),
      conversations: page.map((row) => rowOf(row, { budgetTokens, nowMs, stalled: new Set(stalled) })),
      nextCursor:
        last === undefined
          ? null
          : encodeCursor({
              sort: asked.sort,
              value: Number(last.orderedBy),
              tenant: last.tenant,
              conversationId: last.conversationId,
            }),
      alarms: {
        stalledIngest,
        emptySummaries: await store.fleet.countAlarm(query, 'empty_summaries'),
        failingCompaction: await store.fleet.countAlarm(query, 'failing_compaction'),
      },
      checked: 0,
    }
  }
  return from.read(null, work, LOOKING_MS)
}

function rowOf(
  { isFailing, day, dayTokens, orderedBy: _, ...row }: FleetTotals,
  at: { readonly budgetTokens: number; readonly nowMs: number; readonly stalled: ReadonlySet<string> },
): FleetRow {
  const alarms: FleetAlarm[] = []
  if (at.stalled.has(row.tenant)) alarms.push('stalled_ingest')
  if (row.emptySummaries > 0) alarms.push('empty_summaries')
  if (isFailing) alarms.push('failing_compaction')
  return {
    ...row,
    pressure: row.windowTokens / at.budgetTokens,
    growthTokens: day === Math.floor(at.nowMs / DAY_MS) ? dayTokens : 0,
    alarms,
  }
}

export type CheckRequest = CheckOptions & { readonly from: Postgres }

/**
 * Checks conversations that were written to since they were last checked: each is pulled into a temporary file, scanned
 * there, and the number of findings is stored with its sums.
 */
export async function* checkConversations(
  { from, limit, tenant, scan, now }: CheckRequest,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, number> {
  await requireOurs(from, 'A check stores what it finds')
  const due = await from.read(null, (query) => readUnchecked(query, limit, tenant), LOOKING_MS)
  const folder = makeTemporaryFolder('check')
  try {
    for (const [index, one] of due.entries()) {
      yield { done: index, total: due.length, unit: 'steps', note: `${one.tenant} ${one.conversationId}` }
      const to = join(folder, `${index}.db`)
      const key = { tenant: one.tenant, conversationId: one.conversationId }
      yield* pullConversation({ from, key, to }, signal)
      const findings = await scan(to, signal)
      await from.write(one.tenant, (query) => recordFindings(query, one, { findings, atMs: now() }))
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${to}${suffix}`, { force: true })
      await yieldToOthers(signal, CANCELLED)
    }
    return due.length
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
