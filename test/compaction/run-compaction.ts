import { CompactionEngine, type CompactionEngineOptions } from '#core/compaction/compaction-engine.ts'
import {
  CompactInput,
  type CompactionProgress,
  CompactionResult,
  type CompactionSettings,
  type CompactRequest,
} from '#core/contract/compaction.ts'
import type { SummaryAnswer } from '#core/models/summarizers/summarizer.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { STORY_BEGINS_MS } from '../builders/memory.ts'

/** When tests compact: a day after the story began. */
export const NOW_MS = STORY_BEGINS_MS + 24 * 3_600_000

export type EngineSpec = Partial<Omit<CompactionEngineOptions, 'settings' | 'db'>> & {
  readonly settings?: Partial<CompactionSettings>
}

export function engineOn(db: WriteDb, { settings, ...spec }: EngineSpec = {}): CompactionEngine {
  return new CompactionEngine({
    db,
    estimator: createTokenEstimator(),
    clock: () => NOW_MS,
    owner: 'test',
    settings: { ...readSettings({}).compaction, ...settings },
    ...spec,
  })
}

export type Ran = { readonly result: CompactionResult; readonly progress: readonly CompactionProgress[] }

/** Runs to the end; `onStep` is called after every node. */
export async function runToEnd(
  engine: CompactionEngine,
  request: Partial<CompactRequest> = {},
  signal: AbortSignal = new AbortController().signal,
  onStep: (progress: CompactionProgress) => void | Promise<void> = () => {},
): Promise<Ran> {
  const run = engine.compact(CompactInput.parse({ conversationId: 1, ...request }), signal)
  const progress: CompactionProgress[] = []
  for (;;) {
    const step = await run.next()
    if (step.done) return { result: CompactionResult.parse(step.value), progress }
    progress.push(step.value)
    await onStep(step.value)
  }
}

export const compact = (db: WriteDb, request: Partial<CompactRequest> = {}, spec: EngineSpec = {}): Promise<Ran> =>
  runToEnd(engineOn(db, spec), request)

/** The answer of a summariser in a test. */
export const says = (text: string): SummaryAnswer => ({ text, inputTokens: null, outputTokens: null })
