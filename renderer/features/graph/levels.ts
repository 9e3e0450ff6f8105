import type { Neighbourhood } from '#core/contract/lineage.ts'

type Edge = Neighbourhood['edges'][number]

/**
 * Returns the level of every node: 0 for the focus, negative for its dependents, positive for its sources. An edge
 * always leads to a greater level, except where it closes a cycle. Those edges are ignored here.
 */
export function assignLevels({
  focus,
  nodes,
  edges,
}: Pick<Neighbourhood, 'focus' | 'nodes' | 'edges'>): Map<string, number> {
  const { order, forward } = orderSourcesLast(nodes, edges)
  const levels = new Map([[focus, 0]])
  const from = groupBy(forward, (edge) => edge.from)
  const to = groupBy(forward, (edge) => edge.to)
  const raise = (id: string, level: number) => {
    if (id !== focus) levels.set(id, Math.max(levels.get(id) ?? Number.NEGATIVE_INFINITY, level))
  }
  const lower = (id: string, level: number) => {
    if (id !== focus) levels.set(id, Math.min(levels.get(id) ?? Number.POSITIVE_INFINITY, level))
  }
  const below = reachable([focus], (id) => (from.get(id) ?? []).map((edge) => edge.to))
  const above = reachable([focus], (id) => (to.get(id) ?? []).map((edge) => edge.from))
  for (const id of order)
    if (below.has(id)) for (const edge of from.get(id) ?? []) raise(edge.to, (levels.get(id) ?? 0) + 1)
  for (const id of order.toReversed())
    if (above.has(id)) for (const edge of to.get(id) ?? []) lower(edge.from, (levels.get(id) ?? 0) - 1)
  // A node that is neither a source nor a dependent of the focus is placed below the node through which it was reached.
  for (const id of order)
    for (const edge of from.get(id) ?? []) {
      const level = levels.get(id)
      if (level !== undefined && !below.has(edge.to) && !above.has(edge.to)) raise(edge.to, level + 1)
    }
  for (const id of order.toReversed())
    for (const edge of to.get(id) ?? []) {
      const level = levels.get(id)
      if (level !== undefined && !levels.has(edge.from)) levels.set(edge.from, level - 1)
    }
  // On a cycle no node is above another, so the shortest path from the focus decides.
  const all = { from: groupBy(edges, (edge) => edge.from), to: groupBy(edges, (edge) => edge.to) }
  for (const [id, level] of levels) {
    for (const { to: source } of all.from.get(id) ?? []) if (!levels.has(source)) levels.set(source, level + 1)
    for (const { from: dependent } of all.to.get(id) ?? []) if (!levels.has(dependent)) levels.set(dependent, level - 1)
  }
  for (const { id } of nodes) if (!levels.has(id)) levels.set(id, 1)
  return levels
}

/** Orders dependents before their sources. Edges of a cycle are dropped, whether or not they are marked. */
function orderSourcesLast(nodes: Neighbourhood['nodes'], edges: readonly Edge[]) {
  const known = new Set(nodes.map(({ id }) => id))
  const candidates = edges.filter((edge) => edge.state !== 'cycle' && known.has(edge.from) && known.has(edge.to))
  const from = groupBy(candidates, (edge) => edge.from)
  const waiting = new Map(nodes.map(({ id }) => [id, 0]))
  for (const edge of candidates) waiting.set(edge.to, (waiting.get(edge.to) ?? 0) + 1)
  const order = nodes.filter(({ id }) => waiting.get(id) === 0).map(({ id }) => id)
  for (const id of order)
    for (const edge of from.get(id) ?? []) {
      const left = (waiting.get(edge.to) ?? 0) - 1
      waiting.set(edge.to, left)
      if (left === 0) order.push(edge.to)
    }
  const index = new Map(order.map((id, index) => [id, index]))
  const forward = candidates.filter((edge) => index.has(edge.from) && index.has(edge.to))
  return { order, forward }
}

function reachable(start: readonly string[], next: (id: string) => readonly string[]): ReadonlySet<string> {
  const seen = new Set(start)
  for (const id of seen) for (const other of next(id)) seen.add(other)
  return seen
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
