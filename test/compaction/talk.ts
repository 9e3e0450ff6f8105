import { CompactInput, type CompactRequest } from '#core/contract/compaction.ts'
import { buildMemory, type MessageSpec, type TestMemory } from '../builders/memory.ts'

export const sized = (tokens: number, spec: MessageSpec = {}): MessageSpec => ({
  tokens,
  content: 'word '.repeat(tokens),
  ...spec,
})
export const talk = (count: number, tokens = 100): MessageSpec[] =>
  Array.from({ length: count }, (_, index) => sized(tokens, { content: `step ${index}: ${'word '.repeat(tokens)}` }))
export const remember = (messages: readonly MessageSpec[]): TestMemory => buildMemory({ conversations: [{ messages }] })
export const input = (request: Partial<CompactRequest> = {}): CompactInput =>
  CompactInput.parse({ conversationId: 1, ...request })
export const small = { leafChunkTokens: 400, leafTargetTokens: 60, condensedTargetTokens: 80, freshTailCount: 2 }
