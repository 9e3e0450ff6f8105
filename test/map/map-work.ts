import { join } from 'node:path'
import type { MapReport, MapResult } from '#core/contract/map.ts'
import { anyAnswer } from '#core/map/answer-schema.ts'
import { type MapRequest, runMap } from '#core/map/map-run.ts'
import type { Worker } from '#core/map/worker.ts'
import { runToEnd } from '#core/yielding.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

export const NEVER = new AbortController().signal

/** A worker for tests: it answers with what `work` returns. */
export const workerOf = (work: Worker['work'], identity: readonly string[] = ['test']): Worker => ({
  name: 'test',
  identity,
  work,
})

/** Answers with the item itself. */
const echo = workerOf(async ({ item }) => `{"echo":${item.json}}`)

export const request = (input: string, spec: Partial<MapRequest> = {}): MapRequest => ({
  operator: 'llm',
  input,
  worker: echo,
  check: anyAnswer,
  hashes: { prompt_hash: 'p', schema_hash: 's' },
  retain: null,
  record: join(temporaryFolder(), 'record'),
  actor: 'tester',
  concurrency: 4,
  retries: 2,
  isNew: false,
  clock: () => 1_772_449_003_000,
  firstPauseMs: 0,
  ...spec,
})

/** Runs to the end and gives everything that is known of the run. */
export async function mapped(
  asked: MapRequest,
  signal = NEVER,
): Promise<Omit<MapReport, 'results'> & { results: MapResult[] }> {
  const finished = await runToEnd(runMap(asked, signal))
  try {
    return { ...finished.report, results: await Array.fromAsync(finished.results(NEVER)) }
  } finally {
    await finished.close()
  }
}
