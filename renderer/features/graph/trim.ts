import type { Neighbourhood } from '#core/contract/lineage.ts'
import { groupBy } from './levels.ts'

/** More boxes than this cannot be drawn and read. */
const MOST_CARDS = 220

/**
 * Cuts a neighbourhood down to what can be drawn: the ends of the longest lists of sources are left out and counted. It
 * never cuts the path between other nodes, the focus, or `keep`.
 */
export function trimNeighbourhood(input: Neighbourhood, keep: string | null, most: number = MOST_CARDS): Neighbourhood {
  if (input.nodes.length <= most) return input
  const hasSources = new Set(input.edges.map(({ from }) => from))
  const isCuttable = (id: string) => !hasSources.has(id) && id !== input.focus && id !== keep
  const lists = [
    ...groupBy(
      input.edges.filter(({ to }) => isCuttable(to)),
      ({ from }) => from,
    ),
  ].map(([owner, edges]) => ({
    owner,
    ids: edges.sort((a, b) => a.ordinal - b.ordinal).map(({ to }) => to),
  }))
  let perList = most
  const sizeWith = (limit: number) =>
    input.nodes.length - lists.reduce((cut, { ids }) => cut + Math.max(0, ids.length - limit), 0)
  while (perList > 1 && sizeWith(perList) > most) perList--
  const shown = new Set(lists.flatMap(({ ids }) => ids.slice(0, perList)))
  const cut = new Set(lists.flatMap(({ ids }) => ids.slice(perList).filter((id) => !shown.has(id))))
  const cutOf = new Map(lists.map(({ owner, ids }) => [owner, ids.filter((id) => cut.has(id)).length]))
  const more = input.more.map((each) =>
    each.direction === 'sources' ? { ...each, count: each.count + (cutOf.get(each.id) ?? 0) } : each,
  )
  const counted = new Set(more.filter(({ direction }) => direction === 'sources').map(({ id }) => id))
  const added = [...cutOf].filter(([id, count]) => count > 0 && !counted.has(id))
  return {
    ...input,
    nodes: input.nodes.filter(({ id }) => !cut.has(id)),
    edges: input.edges.filter(({ to }) => !cut.has(to)),
    more: [...more, ...added.map(([id, count]) => ({ id, direction: 'sources' as const, count }))],
  }
}
