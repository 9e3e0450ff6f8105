/**
 * The items of a window that make or answer the same tool call: the items of the first call, then those of the second,
 * and so on, each in the order of the window.
 */
export type CallUses = {
  /** Indexes of items, or −1 for what is not in the window. */
  readonly indexes: Int32Array
  /** The number of indexes of each call. */
  readonly counts: Int32Array
}

/** Items of a window that belong together: a message that calls tools, and the messages that answer it. */
export type Pairing = {
  /** By item: the number of its group, or −1. */
  readonly groupOf: Int32Array
  /** The indexes of each group's items, ascending. There are at least two. */
  readonly groups: readonly (readonly number[])[]
  /** Items with results, none of which has its call before it in the window. */
  readonly orphans: ReadonlySet<number>
}

/** Makes the same from lists, one for each call. */
export function callUses(calls: Iterable<readonly number[]>): CallUses {
  const lists = Array.from(calls, (indexes) => indexes.toSorted((a, b) => a - b))
  return { indexes: Int32Array.from(lists.flat()), counts: Int32Array.from(lists, ({ length }) => length) }
}

/**
 * Finds the items that belong together. A result belongs to the nearest call with its id before it. An item may make
 * several calls, and a call may be answered more than once.
 * @param makesCalls tells whether an item makes the calls that it holds; otherwise it answers them
 */
export function pairTools(
  length: number,
  { indexes, counts }: CallUses,
  makesCalls: (index: number) => boolean,
): Pairing {
  const leader = new Int32Array(length)
  for (let index = 0; index < length; index += 1) leader[index] = index
  const find = (index: number): number => {
    let root = index
    while (leader[root] !== root) root = leader[root] as number
    leader[index] = root
    return root
  }
  const isPaired = new Uint8Array(length)
  const orphans = new Set<number>()
  let place = 0
  for (let number = 0; number < counts.length; number += 1) {
    let call = -1
    for (const end = place + (counts[number] as number); place < end; place += 1) {
      const index = indexes[place] as number
      if (index < 0) continue
      if (makesCalls(index)) call = index
      else if (call < 0) orphans.add(index)
      else {
        // The earlier item becomes the root, so that chains stay short.
        const first = find(call)
        const second = find(index)
        if (first < second) leader[second] = first
        else leader[first] = second
        isPaired[call] = 1
        isPaired[index] = 1
      }
    }
  }
  for (const index of orphans) if (isPaired[index] === 1) orphans.delete(index)

  const groupOf = new Int32Array(length).fill(-1)
  const sizes: number[] = []
  for (let index = 0; index < length; index += 1) {
    if (isPaired[index] === 0) continue
    const root = find(index)
    let group = groupOf[root] as number
    if (group < 0) {
      group = sizes.length
      sizes.push(0)
      groupOf[root] = group
    }
    groupOf[index] = group
    sizes[group] = (sizes[group] as number) + 1
  }
  // A list that grows would keep room for 17 items, and most groups have two.
  const groups = sizes.map((size) => new Array<number>(size))
  for (let index = length - 1; index >= 0; index -= 1) {
    const group = groupOf[index] as number
    if (group < 0) continue
    const left = (sizes[group] as number) - 1
    sizes[group] = left
    const items = groups[group] as number[]
    items[left] = index
  }
  return { groupOf, groups, orphans }
}
