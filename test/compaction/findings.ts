import { createTokenEstimator } from '../../core/context/token-estimator.ts'
import { openMemory } from '../../core/db/open-memory.ts'
import { IntegrityChecker } from '../../core/integrity/integrity-checker.ts'
import { readSettings } from '../../core/settings/settings.ts'
import { NOW_MS } from './run-compaction.ts'

/** Ids of the checks that find an error or a warning in the file. */
export async function findingsIn(path: string): Promise<string[]> {
  const memory = openMemory(path)
  const checker = new IntegrityChecker({
    db: memory.read,
    info: memory.info,
    estimator: createTokenEstimator(),
    settings: readSettings({}).compaction,
    clock: () => NOW_MS,
  })
  const run = checker.run(undefined, new AbortController().signal)
  try {
    for (;;) {
      const step = await run.next()
      if (!step.done) continue
      return step.value.checks.filter(({ count, severity }) => count > 0 && severity !== 'info').map(({ id }) => id)
    }
  } finally {
    memory.close()
  }
}
