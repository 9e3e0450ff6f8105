import type { LineageEdge, Neighbourhood, NeighbourhoodInput, NodeCard } from '../contract/lineage.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { messageNumber } from '../systems/reading/node-id.ts'
import { dependentIds, linksAmong, sourceIds } from '../systems/records/links.ts'
import { nodeCards } from './node-cards.ts'

/** Nobody can read more boxes than this. `more` counts what is left out. */
const MAX_NODES = 600
/** A node that was asked to show all its sources shows at most this many. */
const MAX_EXPANDED = 200

/** Returns the nodes around one. An id that a link names and that is not in the file has a neighbourhood, too. */
export function neighbourhoodOf(db: ReadDb, reader: MemoryReader, input: NeighbourhoodInput): Neighbourhood {
  const shown = new Set([input.id])
  const sources = (id: string, limit: number): string[] => sourceIds(db, id, limit)
  const dependents = (id: string, limit: number): string[] => dependentIds(db, id, messageNumber(id), limit)

  const walk = (levels: number, next: (id: string, limit: number) => string[]): void => {
    let level = [input.id]
    for (let i = 0; i < levels && level.length > 0; i += 1) {
      level = level.flatMap((id) => addTo(shown, next(id, input.maxPerNode)))
    }
  }
  walk(input.up, dependents)
  walk(input.down, sources)
  const asked = new Set(input.expanded)
  // A node that is shown only because another was expanded may be expanded itself; the Set may grow while it is
  // iterated.
  for (const id of shown) if (asked.has(id)) addTo(shown, sources(id, MAX_EXPANDED))

  const nodes = nodeCards(db, reader, [...shown])
  const edges = edgesAmong(db, reader, nodes)
  return { focus: input.id, nodes, edges, more: leftOut(nodes, edges) }
}

/** Adds the ids that are new and fit, and returns them. */
function addTo(shown: Set<string>, ids: readonly string[]): string[] {
  const added = ids.filter((id) => !shown.has(id)).slice(0, Math.max(0, MAX_NODES - shown.size))
  for (const id of added) shown.add(id)
  return added
}

function edgesAmong(db: ReadDb, reader: MemoryReader, nodes: readonly NodeCard[]): LineageEdge[] {
  const cards = new Map(nodes.map((node) => [node.id, node]))
  const numbers = nodes.flatMap((node) => messageNumber(node.id) ?? [])
  return linksAmong(db, [...cards.keys()], numbers).map((row) => {
    const ends = [cards.get(row.from), cards.get(row.to)]
    const isDangling = ends.some((card) => !card || card.kind === 'missing')
    return { ...row, state: isDangling ? 'dangling' : isOnCycle(reader, row, ends[0]) ? 'cycle' : 'sound' }
  })
}

function isOnCycle(reader: MemoryReader, edge: Pick<LineageEdge, 'from' | 'to'>, from: NodeCard | undefined): boolean {
  if (from?.conversationId == null) return false
  const { summaries, order } = reader.memory(from.conversationId)
  const [a, b] = [summaries.nodeOf(edge.from), summaries.nodeOf(edge.to)]
  return a >= 0 && b >= 0 && order.component[a] === order.component[b]
}

function leftOut(nodes: readonly NodeCard[], edges: readonly LineageEdge[]): Neighbourhood['more'] {
  const down = new Map<string, number>()
  const up = new Map<string, number>()
  for (const { from, to } of edges) {
    down.set(from, (down.get(from) ?? 0) + 1)
    up.set(to, (up.get(to) ?? 0) + 1)
  }
  return nodes
    .flatMap(({ id, sources, dependents }) => [
      { id, direction: 'sources' as const, count: sources - (down.get(id) ?? 0) },
      { id, direction: 'dependents' as const, count: dependents - (up.get(id) ?? 0) },
    ])
    .filter(({ count }) => count > 0)
}
