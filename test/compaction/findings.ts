import type { CompactionSettings } from '#core/contract/compaction.ts'
import { Scanner } from '#core/doctor/scan/scanner.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { runToEnd } from '#core/yielding.ts'
import { openMemory } from '../builders/open-memory.ts'
import { NOW_MS } from './run-compaction.ts'

/** Ids of the checks that find an error or a warning in the file, judged by the settings that it was compacted with. */
export async function findingsIn(path: string, settings: Partial<CompactionSettings> = {}): Promise<string[]> {
  using memory = openMemory(path)
  const checker = new Scanner({
    db: memory.read,
    info: memory.info,
    estimator: createTokenEstimator(),
    settings: { ...readSettings({}).compaction, ...settings },
    clock: () => NOW_MS,
  })
  const { checks } = await runToEnd(checker.run(undefined, new AbortController().signal))
  return checks.filter(({ count, severity }) => count > 0 && severity !== 'info').map(({ id }) => id)
}
