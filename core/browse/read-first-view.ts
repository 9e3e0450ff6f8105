import { ConversationsInput } from '../contract/memory.ts'
import { StrataInput } from '../contract/strata.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import type { MemoryStats } from './stats/memory-stats.ts'
import type { StrataService } from './strata.ts'

type Services = {
  readonly stats: Pick<MemoryStats, 'page'>
  readonly reader: Pick<MemoryReader, 'prepareMemory'>
  readonly strata: Pick<StrataService, 'get'>
}

/**
 * Reads what a window on a file begins with, before it asks: the conversation that it opens with when its address names
 * none, and the strata of it. Other calls have their turn meanwhile, and one for the same conversation waits for the same
 * reading.
 * @throws LcmError file_corrupt, and others that the window gets as well when it asks
 */
export async function readFirstView({ stats, reader, strata }: Services): Promise<void> {
  const [first] = stats.page(ConversationsInput.parse({ sort: 'opening', limit: 1 })).conversations
  if (first === undefined) return
  const { conversationId } = first
  await reader.prepareMemory(conversationId)
  strata.get(StrataInput.parse({ conversationId, axis: 'messages' }))
}
