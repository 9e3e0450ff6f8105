import type { Memory } from '#core/memory/memory.ts'
import { WindowEntries } from '#core/memory/window-entries.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { MeasuredWindow } from '#core/window/context-assembler.ts'
import type { Placements } from '#core/window/placements.ts'

/** A conversation as it is compared: at a moment, or as it is now. */
export type Compared = {
  readonly path: string
  readonly name: string
  readonly systemLabel: string
  readonly session: string | null
  readonly title: string | null
  readonly reconstructed: boolean
  readonly db: ReadDb
  /** Its window is that of the moment, without messages that the agent does not send and what a fork inherits. */
  readonly memory: Memory
  /** The figures of the whole window. */
  readonly window: MeasuredWindow
  /** How many messages there were. */
  readonly messages: number
  /** The summaries that there were. */
  readonly nodes: readonly number[]
}

/**
 * Returns a memory with another window, such as that of a moment in the past. Messages and summaries stay; which of them
 * are covered follows from the window.
 */
export function withWindow(memory: Memory, placed: Placements): Memory {
  const { conversations, messages, events, summaries } = memory
  const window = new WindowEntries(messages.length, summaries.length, placed.length)
  for (const [ordinal, entry] of placed.entries()) {
    if (typeof entry === 'number')
      window.addMessage(messages.conversationId, ordinal, entry, messages.positionOf(entry))
    else {
      const stored = { ordinal, placedAtMs: null, messageId: null, summaryId: entry }
      window.add(messages.conversationId, stored, true, summaries.nodeOf(entry))
    }
  }
  return memory.grown({ conversations, messages, events, window })
}

/**
 * Returns the summaries of a conversation: all of its own, or those that a window leads to, which are the ones that
 * there were at its moment.
 */
export function nodesOf(memory: Memory, isPast: boolean): number[] {
  const own = memory.summaries.rows.flatMap(({ index }) => (memory.isOwn(index) ? index : []))
  if (!isPast) return own
  const { window } = memory
  const starts = Array.from({ length: window.length }, (_, index) => window.nodeAt(index)).filter((node) => node >= 0)
  const reached = memory.links.withSources(starts)
  return own.filter((node) => reached.has(node))
}
