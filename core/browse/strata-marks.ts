import type { Strata } from '../contract/strata.ts'
import { ABSENT, COVERED } from '../memory/coverage.ts'
import type { Memory } from '../memory/memory.ts'
import type { PositionRanges } from '../memory/position-ranges.ts'
import { type Axis, rangeOf } from './strata-axis.ts'

type Mark = Strata['marks'][number]

/** What counts as an error in a memory. The integrity checks use the same definition. */
export type MarkRules = {
  /** False when summaries overlap by design of their system. */
  readonly overlaps: boolean
  /** False when the agent can still reach a summary that no window leads to. */
  readonly unshown: boolean
  /**
   * True for a summary of a working copy that is in no window by design of its system. It may overlap others and can
   * still be asked for.
   */
  readonly isFree?: (summaryId: string, conversationId: number) => boolean
  /** Reads which messages a repair left out of the window, because they are in the file once more. */
  readonly readSetAside?: () => (conversationId: number, seq: number) => boolean
}

/**
 * Returns errors in how a conversation is covered, from left to right. An archived conversation has no window, so
 * nothing is missing from it.
 */
export function marksOf(memory: Memory, axis: Axis, rules: MarkRules, isArchived: boolean): Mark[] {
  const mark = (kind: Mark['kind'], from: number, to: number): Mark => {
    const [x0, x1] = rangeOf(axis, from, to - 1)
    return { kind, x0, x1, messages: to - from, firstId: memory.messageId(from) }
  }
  return [
    ...(isArchived && memory.window.length === 0 ? [] : uncovered(memory, rules)).map(([from, to]) =>
      mark('uncovered', from, to),
    ),
    ...(rules.overlaps ? coveredTwice(memory, freeIn(memory, rules)) : []).map(([from, to]) =>
      mark('double_coverage', from, to),
    ),
  ].sort((a, b) => a.x0 - b.x0)
}

type Run = [from: number, to: number]

/** Returns the runs of messages that are neither in the window nor covered by a summary in it. */
function uncovered(memory: Memory, rules: MarkRules): Run[] {
  const states = withLeaves(memory, rules.unshown ? underFree(memory, rules) : () => true)
  const runs: Run[] = []
  if (!states.includes(ABSENT)) return runs
  const isSetAside = rules.readSetAside?.() ?? (() => false)
  for (let from = states.indexOf(ABSENT); from >= 0; ) {
    let to = from + 1
    while (to < states.length && states[to] === ABSENT) to += 1
    runs.push(...withoutSetAside(memory, [from, to], isSetAside))
    from = states.indexOf(ABSENT, to)
  }
  return runs
}

function withoutSetAside(
  { messages }: Memory,
  [from, to]: Run,
  isSetAside: (conversationId: number, seq: number) => boolean,
): Run[] {
  const runs: Run[] = []
  for (let position = from; position < to; position += 1) {
    if (isSetAside(messages.conversationAt(position), messages.seqs[position] as number)) continue
    const last = runs.at(-1)
    if (last?.[1] === position) last[1] = position + 1
    else runs.push([position, position + 1])
  }
  return runs
}

/**
 * Returns a function that says whether a summary is outside of every window by design of its system. A summary that a
 * window reaches is not.
 */
const freeIn =
  ({ summaries, coverage }: Memory, { isFree }: MarkRules) =>
  (node: number): boolean => {
    const { id, conversationId } = summaries.at(node)
    return isFree !== undefined && coverage.nodeStates[node] === ABSENT && isFree(id, conversationId)
  }

/** Returns whether a node or one of its dependents is free: then what it stands for can still be reached. */
function underFree(memory: Memory, rules: MarkRules): (node: number) => boolean {
  if (rules.isFree === undefined) return () => false
  const { summaries, links, order } = memory
  const isFree = freeIn(memory, rules)
  const under = new Uint8Array(summaries.length)
  // In this order dependents come after their sources, so it is walked backwards.
  for (const node of order.order.toReversed()) {
    const isUnder = isFree(node) || (links.dependents[node] ?? []).some((dependent) => under[dependent] === 1)
    under[node] = isUnder ? 1 : 0
  }
  return (node) => under[node] === 1
}

/** Returns the states of the messages, where messages of reachable leaves count as covered. */
function withLeaves({ summaries, coverage }: Memory, isReachable: (node: number) => boolean): Uint8Array {
  const states = Uint8Array.from(coverage.messageStates)
  for (let node = 0; node < summaries.length; node += 1) {
    if (summaries.kindOf(node) !== 'leaf' || !isReachable(node)) continue
    const ranges = coverage.reach(node)
    for (let end = 0; end + 1 < ranges.length; end += 2) {
      for (let position = ranges[end] as number; position < (ranges[end + 1] as number); position += 1) {
        if (states[position] === ABSENT) states[position] = COVERED
      }
    }
  }
  return states
}

/** Returns the runs of messages that two leaves without a common dependent cover. */
function coveredTwice(memory: Memory, isFree: (node: number) => boolean): Run[] {
  const { summaries, coverage } = memory
  const leaves = summaries.rows.flatMap(({ index: leaf }) =>
    summaries.kindOf(leaf) === 'leaf' && !isFree(leaf) ? leaf : [],
  )
  if (!mayOverlap(leaves.map((leaf) => coverage.reach(leaf)))) return []
  const roots = rootsOf(memory)
  const ends = leaves.flatMap((leaf) =>
    Array.from(coverage.reach(leaf), (position, end) => ({ position, leaf, begins: end % 2 === 0 })),
  )
  ends.sort((a, b) => a.position - b.position)

  // The number of leaves over the present position, by their set of roots.
  const over = new Map<string, number>()
  const alone = new Map<string, boolean>()
  const runs: Run[] = []
  for (let i = 0; i < ends.length; ) {
    const position = ends[i]?.position ?? 0
    for (let end = ends[i]; end?.position === position; i += 1, end = ends[i]) {
      const key = roots[end.leaf] ?? ''
      const count = (over.get(key) ?? 0) + (end.begins ? 1 : -1)
      if (count > 0) over.set(key, count)
      else over.delete(key)
    }
    const next = ends[i]?.position
    if (next === undefined || over.size < 2 || !someStandApart([...over.keys()], alone)) continue
    const before = runs.at(-1)
    if (before?.[1] === position) before[1] = next
    else runs.push([position, next])
  }
  return runs
}

/**
 * Returns whether some of these may have a position in common. Only their ends are compared, which is enough to spare a
 * sound file the search for roots.
 */
function mayOverlap(all: readonly PositionRanges[]): boolean {
  const inOrder = all.filter((ranges) => ranges.length > 0).sort((a, b) => (a[0] as number) - (b[0] as number))
  const isApart = inOrder.every(
    (ranges, at) => at === 0 || (inOrder[at - 1]?.at(-1) as number) <= (ranges[0] as number),
  )
  return !isApart
}

/**
 * Returns the roots above each node as one text. Two nodes have a common dependent exactly when they have a common
 * root; the nodes of a cycle count as one node.
 */
function rootsOf({ links, order: { order, component } }: Memory): string[] {
  const byComponent = new Map<number, ReadonlySet<number>>()
  for (let end = order.length; end > 0; ) {
    const own = component[order[end - 1] as number] as number
    const roots = new Set<number>()
    let start = end
    for (; start > 0 && component[order[start - 1] as number] === own; start -= 1) {
      for (const dependent of links.dependents[order[start - 1] as number] ?? []) {
        const above = component[dependent] as number
        if (above !== own) for (const root of byComponent.get(above) ?? []) roots.add(root)
      }
    }
    byComponent.set(own, roots.size > 0 ? roots : new Set([own]))
    end = start
  }
  const texts = new Map<number, string>()
  return Array.from(component, (own) => {
    const text = texts.get(own) ?? [...(byComponent.get(own) ?? [])].sort((a, b) => a - b).join(',')
    texts.set(own, text)
    return text
  })
}

/** Whether two of these sets of roots have no root in common. */
function someStandApart(keys: readonly string[], known: Map<string, boolean>): boolean {
  return keys.some((a, index) =>
    keys.slice(index + 1).some((b) => {
      const pair = `${a} ${b}`
      const apart = known.get(pair) ?? areApart(a, b)
      known.set(pair, apart)
      return apart
    }),
  )
}

function areApart(a: string, b: string): boolean {
  const roots = new Set(a.split(','))
  return !b.split(',').some((root) => roots.has(root))
}
