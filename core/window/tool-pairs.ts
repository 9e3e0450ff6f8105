/** A tool call, answered in place or not, or a result that an item of a window carries. */
export type ToolMark = {
  readonly index: number
  readonly callId: string
  readonly kind: 'call' | 'result'
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
  const leader = new Int32Array(length)
  for (let index = 0; index < length; index += 1) leader[index] = index
  const find = (index: number): number => {
    let root = index
    while ((leader[root] ?? root) !== root) root = leader[root] ?? root
    leader[index] = root
    return root
  }
  const calls = new Map<string, number>()
  const isPaired = new Uint8Array(length)
  const orphans = new Map<number, string>()
  for (const { index, callId, kind } of marks) {
    const call = calls.get(callId)
    if (kind !== 'result') calls.set(callId, index)
    else if (call === undefined) orphans.set(index, orphans.get(index) ?? callId)
    else {
      // The earlier item leads, so that chains stay short.
      const [first, second] = [find(call), find(index)]
      leader[Math.max(first, second)] = Math.min(first, second)
      isPaired[call] = 1
      isPaired[index] = 1
    }
  }
  for (const index of orphans.keys()) if (isPaired[index] === 1) orphans.delete(index)

  const groupOf = new Int32Array(length).fill(-1)
  const groups: number[][] = []
  for (let index = 0; index < length; index += 1) {
    if (isPaired[index] === 0) continue
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
