import type { Memory } from '../memory/memory.ts'

/** The entries of a window in order: message numbers and summary ids. Either may name nothing. */
export type Placements = readonly (number | string)[]

/** Returns the entries of the stored window of a conversation, without those that name nothing. */
export const storedPlacements = ({ messages, summaries, window }: Memory): Placements =>
  Array.from({ length: window.length }, (_, index) => {
    const stored = window.stored.get(index)
    if (stored) return stored.messageId ?? stored.summaryId ?? []
    const node = window.nodeAt(index)
    return node < 0 ? (messages.ids[window.positionAt(index)] as number) : summaries.at(node).id
  }).flat()
