import { checkCoverage } from '#core/compare/transcript/check-coverage.ts'
import type { CoverageReport } from '#core/contract/coverage.ts'
import type { TranscriptFormat } from '#core/contract/import.ts'
import type { JobProgress } from '#core/contract/job.ts'
import { openLcm } from '#core/lcm.ts'

export type CompareOptions = {
  readonly conversationId?: number
  readonly format?: TranscriptFormat
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: JobProgress) => void
}

/** Compares a memory with a transcript, to the end. */
export async function compare(
  memoryPath: string,
  path: string,
  { conversationId = 1, format = 'auto', signal = new AbortController().signal, onProgress }: CompareOptions = {},
): Promise<CoverageReport> {
  using lcm = await openLcm(memoryPath)
  const options = { db: lcm.read, isNative: lcm.info.system === 'native' }
  const job = checkCoverage(options, { conversationId, path, format }, signal)
  for (;;) {
    const step = await job.next()
    if (step.done) return step.value
    onProgress?.(step.value)
  }
}
