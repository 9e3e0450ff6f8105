import { setTimeout as wait } from 'node:timers/promises'
import { CompactionEngine } from '#core/compaction/compaction-engine.ts'
import { decide, planWindow } from '#core/compaction/plan-window.ts'
import { CompactInput } from '#core/contract/compaction.ts'
import { AssembleInput } from '#core/contract/context.ts'
import type { Summarizer } from '#core/models/summarizers/summarizer.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { ContextAssembler } from '#core/window/context-assembler.ts'
import { KeptWindow } from '#core/window/kept-window.ts'
import { measureWindow } from '#core/window/window-size.ts'
import { runToEnd } from '#core/yielding.ts'
import { rawMemory } from './raw-memory.ts'
import { type Duration, repeat, type Timing, timed } from './statistics.ts'

const { compaction: settings } = readSettings({})
const estimator = createTokenEstimator()
const input = CompactInput.parse({ conversationId: 1, summarizer: 'measured' })

export type CompactionFigures = {
  /** Of a window that was not read before. */
  readonly firstPlan: Duration
  readonly planMs: Timing
  readonly assembleMs: Timing
  /** What-if over a window of 10,000 items that was read before, and with reading it. */
  readonly whatIfMs: Timing
  readonly whatIfColdMs: Timing
  /** Cold compaction with a summariser that answers at once. */
  readonly messagesPerSecond: number
  readonly speedUp: number
  /** Of a whole run, with the passes that condense. */
  readonly speedUpOfAll: number
}

export type CompactionSizes = { readonly planned: number; readonly compacted: number; readonly delayMs: number }

/** Planning of a huge window, what-if over a large one, and what compaction costs and gains apart from its summariser. */
export async function measureCompactionEngine(sizes: CompactionSizes): Promise<CompactionFigures> {
  return {
    ...(await measurePlanning(sizes.planned)),
    ...(await measureWhatIf()),
    messagesPerSecond: await messagesPerSecond(sizes.compacted),
    speedUp: await speedUp(sizes.delayMs, 'leaf'),
    speedUpOfAll: await speedUp(sizes.delayMs, 'full'),
  }
}

async function measurePlanning(
  messages: number,
): Promise<Pick<CompactionFigures, 'firstPlan' | 'planMs' | 'assembleMs'>> {
  const { db } = rawMemory(messages)
  const engine = new CompactionEngine({ db, estimator, clock: Date.now, settings, owner: 'bench' })
  const assembler = new ContextAssembler(db, estimator, settings)
  const plan = () => engine.plan({ ...input, summarizer: 'deterministic' })
  const firstPlan = await timed(plan)
  const planMs = await repeat(5, plan)
  const assembleMs = await repeat(3, () => assembler.assemble(AssembleInput.parse({ conversationId: 1 })))
  db.close()
  return { firstPlan, planMs, assembleMs }
}

const WHAT_IFS = 100

async function measureWhatIf(): Promise<Pick<CompactionFigures, 'whatIfMs' | 'whatIfColdMs'>> {
  const { db } = rawMemory(10_000)
  const { window, covered } = new KeptWindow(db, estimator).of(1)
  const ask = (round: number, of: typeof window): void => {
    const step = round % 20
    const asked = { ...settings, budgetTokens: 20_000 + step * 10_000, freshTailCount: step }
    decide(of, asked, measureWindow(of.columns, of.pairs, asked), of)
    planWindow(of, covered, { ...input, mode: 'untilUnder' }, asked)
  }
  // Of so many runs one may collect what was planned before, which is no part of a what-if, and p95 leaves it out.
  const whatIfMs = await repeat(WHAT_IFS, (round) => ask(round, window))
  const whatIfColdMs = await repeat(WHAT_IFS, (round) => ask(round, new KeptWindow(db, estimator).of(1).window))
  db.close()
  return { whatIfMs, whatIfColdMs }
}

async function messagesPerSecond(messages: number): Promise<number> {
  const rates: number[] = []
  for (let round = 0; round < 3; round += 1)
    rates.push(messages / ((await compactionMs(messages, 0, 4, 'leaf')) / 1_000))
  return Math.max(...rates)
}

/** How many times sooner a compaction ends with four calls at once than with one at a time. */
export async function speedUp(delayMs: number, mode: Mode): Promise<number> {
  const messages = 1_600
  return (await compactionMs(messages, delayMs, 1, mode)) / (await compactionMs(messages, delayMs, 4, mode))
}

type Mode = 'leaf' | 'full'

/** A run with a summariser that takes so long for every call. */
async function compactionMs(messages: number, delayMs: number, leafConcurrency: number, mode: Mode): Promise<number> {
  const summarizer: Summarizer = {
    name: 'measured',
    levels: ['normal'],
    model: delayMs > 0 ? 'measured' : null,
    promptVersion: () => 'bench',
    summarize: async ({ entries }) => {
      if (delayMs > 0) await wait(delayMs)
      return { text: `What was said from ${entries[0]?.id} on.`, inputTokens: null, outputTokens: null }
    },
  }
  const { db } = rawMemory(messages)
  const engine = new CompactionEngine({
    db,
    estimator,
    clock: Date.now,
    settings: { ...settings, leafConcurrency },
    owner: 'bench',
    summarizers: [summarizer],
  })
  const { durationMs } = await runToEnd(engine.compact({ ...input, mode }, new AbortController().signal))
  db.close()
  return durationMs
}

if (import.meta.main) {
  const [delayMs = 1_000] = process.argv.slice(2).map(Number)
  console.log(JSON.stringify(await measureCompactionEngine({ planned: 200_000, compacted: 10_000, delayMs }), null, 2))
}
