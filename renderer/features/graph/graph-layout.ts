import type { LineageEdge, Neighbourhood, NodeCard } from '#core/contract/lineage.ts'
import {
  type Block,
  CARD_HEIGHT,
  type CardSizes,
  cardItem,
  cardSizes,
  GAP_X,
  type Item,
  type More,
  moreItem,
  shapeBlock,
} from './block.ts'
import { type PlacedEdge, placeEdges } from './edge-path.ts'
import { boxAround } from './fit.ts'
import { assignLevels, groupBy } from './levels.ts'
import type { Box, PlacedCard, PlacedFrame, PlacedMore } from './placed-items.ts'

export type GraphLayout = {
  /** The cards in the order of levels and, within a level, of the conversation. */
  readonly cards: readonly PlacedCard[]
  readonly mores: readonly PlacedMore[]
  readonly frames: readonly PlacedFrame[]
  readonly edges: readonly PlacedEdge[]
  /** The edges among the cards. An edge into a frame is drawn once for all its cards. */
  readonly links: readonly LineageEdge[]
  readonly bounds: Box
}

/** What has been decided while levels are placed one after the other. */
type Placing = {
  readonly input: Neighbourhood
  /** The sizes of the cards of a level. What is opened in another one does not change them. */
  readonly sizesOf: (level: number) => CardSizes
  readonly levels: ReadonlyMap<string, number>
  readonly byLevel: ReadonlyMap<number, readonly NodeCard[]>
  readonly edgesFrom: ReadonlyMap<string, readonly LineageEdge[]>
  readonly edgesTo: ReadonlyMap<string, readonly LineageEdge[]>
  readonly cards: Map<string, PlacedCard>
  readonly mores: PlacedMore[]
  readonly frames: Map<string, PlacedFrame>
}

const BLOCK_GAP = 28
const GAP_Y = 46

/** Returns how many levels fit at full size: at least the focus, its sources, and two levels of dependents. */
export const levelsIn = (heightPx: number): number =>
  Math.min(8, Math.max(4, Math.floor(heightPx / (CARD_HEIGHT + GAP_Y))))

/**
 * Returns the sources of the focus whose own sources fit below them, side by side and in the height of the pane: the
 * graph shows them without being asked.
 */
export function sourcesWithRoom(
  { focus, nodes, edges }: Neighbourhood,
  columns: number,
  levels: number,
): readonly string[] {
  const above = Math.max(...[...assignLevels({ focus, nodes, edges }).values()].map((level) => -level))
  const below = new Set(edges.filter(({ from }) => from === focus).map(({ to }) => to))
  if (above + 3 > levels) return []
  let left = columns
  return nodes.flatMap(({ id, kind, sources }) => {
    if (!below.has(id) || kind === 'message' || sources === 0 || sources > left) return []
    left -= sources
    return [id]
  })
}

/**
 * Lays out a neighbourhood: dependents above, sources below, each level in the order of the history. The focus is at
 * the origin. The cards fill a pane of `widthPx`. O(n log n), for the sorting.
 */
export function layoutGraph(input: Neighbourhood, widthPx: number): GraphLayout {
  const levels = assignLevels(input)
  const byLevel = Map.groupBy([...input.nodes].sort(byHistory), ({ id }) => levels.get(id) ?? 0)
  const placing: Placing = {
    input,
    sizesOf: (level) => cardSizes(widthPx, byLevel.get(level)?.length ?? 1),
    levels,
    byLevel,
    edgesFrom: groupBy(input.edges, (edge) => edge.from),
    edgesTo: groupBy(input.edges, (edge) => edge.to),
    cards: new Map(),
    mores: [],
    frames: new Map(),
  }
  placeRow(placing, [focusBlock(placing)], 0, placing.sizesOf(0))
  let top = CARD_HEIGHT + GAP_Y
  for (let level = 1; level <= Math.max(...levels.values()); level++)
    top += placeRow(placing, sourceBlocks(placing, level), top, placing.sizesOf(level)) + GAP_Y
  for (let level = -1; level >= Math.min(...levels.values()); level--)
    placeRow(placing, dependentBlocks(placing, level), level * (CARD_HEIGHT + GAP_Y), placing.sizesOf(level))
  const { cards, mores, frames } = placing
  return {
    cards: [...cards.values()].sort((a, b) => a.y - b.y || a.x - b.x),
    mores,
    frames: [...frames.values()],
    edges: placeEdges(input.edges, cards, frames),
    links: input.edges,
    bounds: boxAround([...cards.values(), ...mores, ...frames.values()]),
  }
}

const byHistory = (a: NodeCard, b: NodeCard): number => {
  const first = (card: NodeCard) => card.seq ?? card.firstSeq ?? Number.POSITIVE_INFINITY
  return compare(first(a), first(b)) || compare(a.lastSeq ?? 0, b.lastSeq ?? 0) || compare(a.id, b.id)
}

const compare = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Places blocks side by side and records the position of every item.
 * @returns the height of the row
 */
function placeRow(
  { levels, cards, mores, frames }: Placing,
  blocks: readonly Block[],
  top: number,
  sizes: CardSizes,
): number {
  const shaped = blocks.map((block) => shapeBlock(block, sizes))
  // A block stands below its owner, but not outside of the pane if it fits there.
  const centers = spread(
    shaped.map(({ block, w }) => {
      const reach = Math.max(0, (sizes.pane - w) / 2)
      return { center: Math.max(-reach, Math.min(block.center, reach)), width: w }
    }),
    BLOCK_GAP,
  )
  shaped.forEach(({ block, w, h, isFramed, placed }, order) => {
    const left = (centers[order] ?? 0) - w / 2
    if (isFramed && block.owner) frames.set(block.owner.id, { of: block.owner, x: left, y: top, w, h })
    for (const { item, dx, dy } of placed) {
      const box = { x: left + dx, y: top + dy, w: item.w, h: CARD_HEIGHT }
      if (item.kind === 'card')
        cards.set(item.card.id, { ...box, card: item.card, level: levels.get(item.card.id) ?? 0 })
      else mores.push({ ...box, more: item.more, unit: item.unit })
    }
  })
  return Math.max(CARD_HEIGHT, ...shaped.map(({ h }) => h))
}

/** Centres the focus among the other nodes of its level. */
function focusBlock({ input, byLevel, sizesOf }: Placing): Block {
  const items = (byLevel.get(0) ?? []).map((card) => cardItem(card, sizesOf(0)))
  const at = items.findIndex((item) => item.kind === 'card' && item.card.id === input.focus)
  // All of them are equally wide.
  const center = ((items.length - 1) / 2 - at) * ((items[0]?.w ?? 0) + GAP_X)
  return { owner: null, center, items, canWrap: false }
}

/** Returns the nodes of a level below the focus, with their siblings, under the nodes of which they are sources. */
function sourceBlocks(
  { input, byLevel, levels, edgesFrom, edgesTo, cards, sizesOf }: Placing,
  level: number,
): readonly Block[] {
  const members = byLevel.get(level) ?? []
  const hasSourcesBelow = ({ id }: NodeCard) =>
    (edgesFrom.get(id) ?? []).some(({ to }) => (levels.get(to) ?? 0) > level)
  const ownerOf = ({ id }: NodeCard) =>
    (edgesTo.get(id) ?? [])
      .map(({ from }) => from)
      .find((from) => cards.has(from) && (levels.get(from) ?? 0) < level) ?? ''
  const blocks = [...groupBy(members, ownerOf)].map(([id, siblings]): Block => {
    const owner = cards.get(id)
    const items: Item[] = siblings.map((card) => cardItem(card, sizesOf(level)))
    if (owner) items.push(...moresOf(input, owner.card, 'sources'))
    return { owner: owner?.card ?? null, center: middleOf(owner), items, canWrap: !siblings.some(hasSourcesBelow) }
  })
  return blocks.sort((a, b) => a.center - b.center)
}

/** Returns the nodes of a level above the focus, each over its sources, with the number of further dependents. */
function dependentBlocks({ input, byLevel, edgesFrom, cards, sizesOf }: Placing, level: number): readonly Block[] {
  const blocks = (byLevel.get(level) ?? []).map((card): Block => {
    const middles = (edgesFrom.get(card.id) ?? []).flatMap(({ to }) => (cards.has(to) ? middleOf(cards.get(to)) : []))
    const center = middles.length > 0 ? middles.reduce((a, b) => a + b, 0) / middles.length : 0
    return { owner: null, center, items: [cardItem(card, sizesOf(level))], canWrap: false }
  })
  const mores = (byLevel.get(level + 1) ?? []).map((card): Block => {
    const items = moresOf(input, card, 'dependents')
    return { owner: null, center: middleOf(cards.get(card.id)) + 1, items, canWrap: false }
  })
  return [...blocks, ...mores.filter(({ items }) => items.length > 0)].sort((a, b) => a.center - b.center)
}

const moresOf = ({ more }: Neighbourhood, owner: NodeCard, direction: More['direction']): readonly Item[] =>
  more
    .filter((each) => each.id === owner.id && each.direction === direction && each.count > 0)
    .map((each) => moreItem(each, owner))

const middleOf = (box: Box | undefined): number => (box ? box.x + box.w / 2 : 0)

/** An item with a width and the position at which its middle should be. */
export type Wish = { readonly center: number; readonly width: number }

/**
 * Returns middles for items in a row that keep their order and at least `gap` between them, each as near to its wish as
 * possible (least squares: neighbours that push each other share the distance). O(n).
 */
export function spread(wishes: readonly Wish[], gap: number): readonly number[] {
  // Without widths and gaps, the middles only have to be ascending. Each descending run is replaced by its mean.
  const offsets: number[] = []
  let offset = 0
  wishes.forEach(({ width }, index) => {
    const before = wishes[index - 1]
    if (before) offset += before.width / 2 + gap + width / 2
    offsets.push(offset)
  })
  const groups: { mean: number; count: number }[] = []
  wishes.forEach(({ center }, index) => {
    let group = { mean: center - (offsets[index] ?? 0), count: 1 }
    for (let before = groups.at(-1); before && before.mean > group.mean; before = groups.at(-1)) {
      const count = before.count + group.count
      group = { mean: (before.mean * before.count + group.mean * group.count) / count, count }
      groups.pop()
    }
    groups.push(group)
  })
  return groups
    .flatMap(({ mean, count }) => Array.from({ length: count }, () => mean))
    .map((mean, index) => mean + (offsets[index] ?? 0))
}

/** Returns the card before (−1) or after (1) another one in its level, or null at its end. */
export function besideInLevel({ cards }: Pick<GraphLayout, 'cards'>, id: string, step: -1 | 1): string | null {
  const at = cards.findIndex(({ card }) => card.id === id)
  const beside = cards[at + step]
  return at >= 0 && beside !== undefined && beside.level === cards[at]?.level ? beside.card.id : null
}
