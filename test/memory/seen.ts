import type { BrokenLink } from '#core/memory/links.ts'
import type { Memory } from '#core/memory/memory.ts'

/** Entries by what they name, without those of which the target is not there. */
export const windowOf = ({ window, messages, summaries }: Memory) =>
  Array.from({ length: window.length }, (_, item) => ({
    conversation: window.conversations[item],
    ordinal: window.ordinals[item],
    message: messages.ids[window.positionAt(item)],
    summary: summaries.rows[window.nodeAt(item)]?.id,
  }))

/** All that a memory says, for a comparison with another. */
export const seen = (memory: Memory) => ({
  messages: { ...memory.messages },
  summaries: memory.summaries.rows,
  messagesOf: memory.summaries.rows.map(({ index }) => memory.links.messagesOf(index)),
  sources: memory.links.sources,
  dependents: memory.links.dependents,
  broken: memory.links.broken.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  window: windowOf(memory),
  reach: memory.summaries.rows.map(({ index }) => memory.coverage.reach(index)),
  nodeStates: memory.coverage.nodeStates,
  messageStates: memory.coverage.messageStates,
})

const nameOf = ({ summaryId, kind, place }: BrokenLink): string => `${summaryId} ${kind} ${place}`
