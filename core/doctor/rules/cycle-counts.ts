import type { Memory } from '../../memory/memory.ts'

/** The range of a number, with both ends. */
export type Bounds = { readonly least: number; readonly most: number }

/**
 * Returns how many descendants the summaries on a cycle can have. No number is right while the cycle exists, because
 * each would have to be larger than itself. Whichever links of the cycle are wrong, a summary has at least the
 * descendants of its other sources, and at most every descendant of the cycle once.
 */
export function countsInCycles({ summaries, links, order, extents }: Memory): Map<number, Bounds> {
  const bounds = new Map<number, Bounds>()
  const seen = new Set<number>()
  const sourcesOf = (summary: number): readonly number[] => links.sources[summary] ?? []
  const isCyclic = (summary: number): boolean => order.onCycle[summary] === 1
  for (let start = 0; start < summaries.length; start += 1) {
    if (!isCyclic(start) || seen.has(start)) continue
    const circle = reached(start, (at) => sourcesOf(at).filter(isCyclic))
    const back = reached(start, (at) => (links.dependents[at] ?? []).filter(isCyclic))
    const members = circle.intersection(back)
    for (const member of members) seen.add(member)
    const outside = (member: number): readonly number[] => sourcesOf(member).filter((source) => !members.has(source))
    // A count that depends on another cycle or on a broken link is not certain.
    const isKnown = [...members].every((member) => outside(member).every((source) => extents.isWhole[source] === 1))
    if (!isKnown) continue
    const least = (member: number): number =>
      outside(member).reduce((sum, source) => sum + 1 + (extents.descendants[source] as number), 0)
    const most = [...members].reduce((sum, member) => sum + 1 + least(member), 0) - 1
    for (const member of members) bounds.set(member, { least: least(member), most })
  }
  return bounds
}

function reached(start: number, next: (at: number) => readonly number[]): Set<number> {
  const found = new Set([start])
  for (const at of found) for (const other of next(at)) found.add(other)
  return found
}
