/** A tool call or result that an item of a window carries. `answered_call` holds its own result. */
export type ToolMark = {
  readonly index: number
  readonly callId: string
  readonly kind: 'call' | 'answered_call' | 'result'
}

/** Items of a window that belong together: a message that calls tools, and the messages that answer it. */
export type Pairing = {
  /** By item: the number of its group, or −1. */
  readonly groupOf: Int32Array
  /** Indexes of each group's items, ascending; at least two each. */
  readonly groups: readonly (readonly number[])[]
  /** Items that hold results, none of which has its call before it in the window, with the first such call's id. */
  readonly orphans: ReadonlyMap<number, string>
}

/**
 * Finds out which items stand and fall together. A result belongs to the nearest call of its id before it; an item may
 * make several calls and a call may be answered more than once.
 */
export function pairTools(length: number, marks: readonly ToolMark[]): Pairing {
  const leader = Int32Array.from({ length }, (_, index) => index)
  const find = (index: number): number => {
    let root = index
    while ((leader[root] ?? root) !== root) root = leader[root] ?? root
    leader[index] = root
    return root
  }
  const calls = new Map<string, number>()
  const paired = new Set<number>()
  const orphans = new Map<number, string>()
  for (const { index, callId, kind } of marks) {
    const call = calls.get(callId)
    if (kind !== 'result') calls.set(callId, index)
    else if (call === undefined) orphans.set(index, orphans.get(index) ?? callId)
    else {
      // The earlier item leads, so that chains stay short.
      const [first, second] = [find(call), find(index)]
      leader[Math.max(first, second)] = Math.min(first, second)
      paired.add(call).add(index)
    }
  }
  for (const index of paired) orphans.delete(index)

  const groupOf = new Int32Array(length).fill(-1)
  const groups: number[][] = []
  for (const index of [...paired].sort((a, b) => a - b)) {
    const root = find(index)
    let group = groupOf[root] ?? -1
    if (group < 0) {
      group = groups.length
      groups.push([])
      groupOf[root] = group
    }
    groupOf[index] = group
    groups[group]?.push(index)
  }
  return { groupOf, groups, orphans }
}
