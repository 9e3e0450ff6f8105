import { hostname } from 'node:os'
import { setTimeout as later } from 'node:timers/promises'
import { z } from 'zod'
import { CompactInput, SummarizerName } from '#core/contract/compaction.ts'
import { type WorkerOutcome, WorkerReport } from '#core/contract/remote.ts'
import { LcmError } from '#core/errors.ts'
import { neededRun } from '#core/jobs/auto-compaction.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { runToEnd } from '#core/yielding.ts'
import { defineCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { type Answer, printNote } from '../output/output.ts'
import { count, table } from '../output/text.ts'
import { addressField, tenantField, withPostgres } from '../postgres-session.ts'

/** How long a worker that found nothing waits before it looks again. */
const IDLE_MS = 5_000
/** A report of a worker that runs for days would grow without an end. */
const MOST_REPORTED = 10_000

/** Compacts full windows of a database. */
export const worker = defineCommand({
  name: 'worker',
  example: 'worker postgres://worker@db.example.com/lcm --once',
  fields: z.object({
    address: addressField,
    tenant: tenantField,
    once: z.boolean().optional().describe('end when nothing is due any more'),
    summarizer: SummarizerName,
  }),
  positional: ['address'],
  prints: WorkerReport,
  run: async ({ address, tenant, once = false, summarizer }): Promise<Answer> => {
    const { budgetTokens, softThreshold } = loadSettings(process.env).compaction
    const conversations: WorkerOutcome[] = []
    let shown: string | null = null
    /** Works on one connection until nothing is due, or without an end. */
    const work = (signal: AbortSignal): Promise<void> =>
      withPostgres(address, async (db, named) => {
        await db.requireVersion()
        shown = named.shown
        const options = {
          ...{ tenant: tenant ?? named.tenant, now: Date.now },
          worker: `${hostname()} ${process.pid}`,
          minWindowTokens: Math.ceil(budgetTokens * softThreshold),
          compact: (path: string, conversationId: number, stop: AbortSignal) =>
            compactFile(path, { conversationId, summarizer }, stop),
          every: (ms: number, body: () => void) => {
            const timer = setInterval(body, ms)
            return () => clearInterval(timer)
          },
        }
        while (!signal.aborted) {
          const outcome = await db.workOnce(options, signal)
          if (outcome === null) {
            if (once) break
            await later(IDLE_MS, null, { signal }).catch(() => undefined)
            continue
          }
          if (!once) printNote(lineOf(outcome))
          if (conversations.length < MOST_REPORTED) conversations.push(outcome)
        }
      })
    const report = await interruptible(async (signal) => {
      for (let isOver = false; !isOver; ) {
        try {
          await work(signal)
          isOver = true
        } catch (error) {
          // A worker that runs on outlives a restart of the server.
          const isGone = error instanceof LcmError && error.code === 'server_unavailable'
          if (once || shown === null || !isGone || signal.aborted) throw error
          printNote(`${error.message} The worker tries again.`)
          await later(IDLE_MS, null, { signal }).catch(() => undefined)
        }
      }
      return { address: shown ?? '', conversations }
    })
    const rows = report.conversations.map((one) => [one.tenant, one.conversationId, one.outcome, one.created])
    const text = (): string =>
      rows.length === 0
        ? `No window in ${report.address} is due.`
        : table(['tenant', 'conversation', 'outcome', 'new summaries'], rows)
    return { json: report, text }
  },
})

const lineOf = ({ tenant, conversationId, outcome, created, error }: WorkerOutcome): string =>
  `conversation ${conversationId} of ${tenant}: ${outcome.replaceAll('_', ' ')}${created > 0 ? `, ${count(created)} new summaries` : ''}${error === null ? '' : `: ${error}`}`

/** Compacts a window that has reached a threshold, no further than under it. Returns how many summaries it made. */
async function compactFile(
  path: string,
  asked: { readonly conversationId: number; readonly summarizer: string },
  signal: AbortSignal,
): Promise<number> {
  const { openLcm } = await import('#core/lcm.ts')
  const lcm = await openLcm(path)
  try {
    const input = CompactInput.parse(asked)
    const wanted = neededRun(lcm.planner.evaluate(input), input)
    if (wanted === null) return 0
    const { created } = await runToEnd(lcm.compactionEngine().compact(CompactInput.parse(wanted), signal))
    return created.length
  } finally {
    lcm.close()
  }
}
