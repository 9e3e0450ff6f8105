export type LineageOrder = {
  /** All nodes, each after its sources. Nodes of one cycle stand in any order. */
  readonly order: Int32Array
  /**
   * The component of each node. Two nodes share one when each reaches the other, which means that they are on one
   * cycle.
   */
  readonly component: Int32Array
  /** 1 for each node on a cycle, also when it is its own source. */
  readonly onCycle: Uint8Array
  /** The nodes of `order` that reach no cycle through their sources. */
  readonly sound: Int32Array
}

/**
 * Orders a graph that should have no cycle but may have one, by Tarjan's strongly connected components (SIAM J. Comput.
 * 1(2), 1972). It keeps a stack of its own, so that no chain is too deep for it.
 */
export function lineageOrder(sources: readonly (readonly number[])[]): LineageOrder {
  const count = sources.length
  const order = new Int32Array(count)
  const component = new Int32Array(count).fill(-1)
  const onCycle = new Uint8Array(count)
  const found = new Int32Array(count).fill(-1)
  const lowest = new Int32Array(count)
  const open: number[] = []
  const path: number[] = []
  const nextEdge = new Int32Array(count)
  let finds = 0
  let placed = 0
  let components = 0

  const enter = (node: number): void => {
    found[node] = finds
    lowest[node] = finds
    finds += 1
    open.push(node)
    path.push(node)
  }

  const close = (root: number): void => {
    const size = open.length - open.lastIndexOf(root)
    for (const node of open.splice(open.length - size)) {
      component[node] = components
      onCycle[node] = size > 1 ? 1 : 0
      order[placed] = node
      placed += 1
    }
    components += 1
  }

  for (let start = 0; start < count; start += 1) {
    if (found[start] !== -1) continue
    enter(start)
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const source = sources[node]?.[nextEdge[node] as number]
      if (source === undefined) {
        path.pop()
        const above = path.at(-1)
        if (above !== undefined) lowest[above] = Math.min(lowest[above] as number, lowest[node] as number)
        if (lowest[node] === found[node]) close(node)
        continue
      }
      nextEdge[node] = (nextEdge[node] as number) + 1
      if (found[source] === -1) enter(source)
      else if (component[source] === -1) lowest[node] = Math.min(lowest[node] as number, found[source] as number)
    }
  }
  for (let node = 0; node < count; node += 1) if (sources[node]?.includes(node)) onCycle[node] = 1
  return { order, component, onCycle, sound: soundNodes(order, sources, onCycle) }
}

function soundNodes(order: Int32Array, sources: readonly (readonly number[])[], onCycle: Uint8Array): Int32Array {
  const isUnsound = onCycle.slice()
  for (const node of order) if (sources[node]?.some((source) => isUnsound[source] === 1)) isUnsound[node] = 1
  return order.filter((node) => isUnsound[node] === 0)
}
