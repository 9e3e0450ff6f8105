import type { Neighbourhood, NodeCard } from '#core/contract/lineage.ts'

/** How many items are left out. */
export type More = Neighbourhood['more'][number]

/** A card, or a chip with the number of further items. */
export type Item =
  | { readonly kind: 'card'; readonly card: NodeCard; readonly w: number }
  | { readonly kind: 'more'; readonly more: More; readonly unit: MoreUnit; readonly w: number }
export type MoreUnit = 'messages' | 'sources' | 'dependents'

/** Items that are placed together, as near to `center` as their neighbours allow. */
export type Block = {
  /** The node whose sources the items are. */
  readonly owner: NodeCard | null
  readonly center: number
  readonly items: readonly Item[]
  /** True when the items may take several rows, because nothing will be drawn below them. */
  readonly canWrap: boolean
}

/** A block with its size and the position of each item in it. */
export type ShapedBlock = {
  readonly block: Block
  readonly w: number
  readonly h: number
  readonly isFramed: boolean
  readonly placed: readonly { readonly item: Item; readonly dx: number; readonly dy: number }[]
}

export const CARD_HEIGHT = 48
const NARROWEST = 150
const WIDEST = 300
const MORE = 96
export const GAP_X = 12
const ROW_GAP = 8
const FRAME_PAD = 10
/** Free space around the graph. */
export const MARGIN = 20

/** How the cards of a level share the width of the pane. */
export type CardSizes = {
  /** How many stand side by side before they wrap. */
  readonly columns: number
  readonly card: number
  /** The width of the pane without its margins. */
  readonly pane: number
}

/** Returns how many sources fit side by side. */
export const columnsIn = (widthPx: number): number =>
  Math.max(2, Math.floor((widthPx - 2 * MARGIN + GAP_X) / (NARROWEST + GAP_X)))

/** Makes the cards of a level as wide as the pane allows for so many side by side. */
export function cardSizes(widthPx: number, count: number): CardSizes {
  const columns = columnsIn(widthPx)
  const inRow = Math.min(Math.max(1, count), columns)
  const pane = widthPx - 2 * MARGIN
  const room = pane - (count > columns ? MORE + GAP_X : 0) - (inRow - 1) * GAP_X
  return { columns, card: Math.floor(Math.min(WIDEST, Math.max(NARROWEST, room / inRow))), pane }
}

export const cardItem = (card: NodeCard, { card: w }: CardSizes): Item => ({ kind: 'card', card, w })

export const moreItem = (more: More, owner: NodeCard): Item => ({
  kind: 'more',
  more,
  unit: more.direction === 'dependents' ? 'dependents' : owner.kind === 'leaf' ? 'messages' : 'sources',
  w: MORE,
})

/** Sets a block's items in a row, or in a frame of several rows when they are more than `columns`. */
export function shapeBlock(block: Block, { columns, card }: CardSizes): ShapedBlock {
  const isFramed = block.canWrap && block.items.length > columns + 1
  const pad = isFramed ? FRAME_PAD : 0
  const widest = Math.max(...block.items.map(({ w }) => w))
  const perRow = isFramed ? Math.max(2, Math.floor((columns * (card + GAP_X)) / (widest + GAP_X))) : block.items.length
  let width = 0
  let dx = pad
  const placed = block.items.map((item, order) => {
    if (order % perRow === 0) dx = pad
    const at = { item, dx, dy: pad + Math.floor(order / perRow) * (CARD_HEIGHT + ROW_GAP) }
    dx += item.w + GAP_X
    width = Math.max(width, dx - GAP_X + pad)
    return at
  })
  const rows = Math.max(1, Math.ceil(block.items.length / Math.max(1, perRow)))
  return { block, w: width, h: rows * CARD_HEIGHT + (rows - 1) * ROW_GAP + 2 * pad, isFramed, placed }
}
