import type { Memory } from '../../memory/memory.ts'
import type { Placements } from '../placements.ts'

/** What is known to have been there, where no log says what the window was. */
export type Known = {
  readonly newestSeq: number
  /** Whether the summary of a node had been made. */
  readonly isMade: (node: number) => boolean
}

/**
 * The window as an agent would have kept it: every summary that had been made and from which none had been made yet, and
 * every message up to the newest that none of these stands for, in the order of the messages. Summaries on a cycle are
 * no window's top; their messages stand for themselves.
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
