import type { IntegrityReport } from '#core/contract/integrity.ts'
import type { Lcm } from '#core/lcm.ts'
import { runToEnd } from '#core/yielding.ts'

/** Runs every check on an open memory, or on one of its conversations. */
export async function checkMemory(lcm: Pick<Lcm, 'doctor'>, conversationId?: number): Promise<IntegrityReport> {
  const { integrity } = await lcm.doctor()
  return await runToEnd(integrity.run(conversationId, new AbortController().signal))
}
