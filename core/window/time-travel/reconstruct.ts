import type { Memory } from '#core/memory/memory.ts'
import type { Placements } from '../placements.ts'

/** The rows that are known to have existed, where no log records the window. */
export type Known = {
  readonly newestSeq: number
  /** True when the summary of a node had been made. */
  readonly isMade: (node: number) => boolean
}

/**
 * Returns the window as an agent would have kept it: every existing summary without a dependent, and every message up
 * to the newest that none of these covers, in the order of the messages. Summaries on a cycle are not in it; their
 * messages are.
 */
export function reconstruct(memory: Memory, { newestSeq, isMade }: Known): Placements {
  const { messages, summaries, links, coverage } = memory
  const made = Uint8Array.from(summaries.rows, ({ index }) => (memory.isOwn(index) && isMade(index) ? 1 : 0))
  const isTop = (node: number): boolean =>
    made[node] === 1 && !links.dependents[node]?.some((dependent) => made[dependent] === 1)
  const covered = new Uint8Array(messages.length)
  const placed: { readonly position: number; readonly entry: number | string }[] = []
  for (const { id, index } of summaries.rows) {
    if (!isTop(index)) continue
    const ranges = coverage.reach(index)
    for (let end = 0; end < ranges.length; end += 2) covered.fill(1, ranges[end], ranges[end + 1])
    placed.push({ position: ranges[0] ?? messages.length, entry: id })
  }
  for (
    let position = 0;
    position < messages.length && (messages.seqs[position] as number) <= newestSeq;
    position += 1
  ) {
    if (covered[position] === 0) placed.push({ position, entry: messages.ids[position] as number })
  }
  return placed.sort((a, b) => a.position - b.position).map(({ entry }) => entry)
}
