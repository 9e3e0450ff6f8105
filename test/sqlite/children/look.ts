// Opens a memory in a process of its own, possibly as a user with fewer rights, and says what was seen.

import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { toErrorInfo } from '#core/errors.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openMemory } from '#core/systems/opening/open.ts'

const [path = '', cacheDir = ''] = process.argv.slice(2)
try {
  const memory = await openMemory(path, { cacheDir })
  const { readOnly, readOnlyReason, access } = memory.info
  const { messages } = new MemoryStats(
    memory.read,
    memory.info,
    { budgetTokens: 1000, freshTailCount: 8 },
    createTokenEstimator(),
  ).stats()
  memory.close()
  console.log(JSON.stringify({ readOnly, readOnlyReason, access, messages }))
} catch (error) {
  console.log(JSON.stringify({ error: toErrorInfo(error) }))
}
