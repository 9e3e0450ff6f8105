import type { NodeCard } from '#core/contract/lineage.ts'
import type { More, MoreUnit } from './block.ts'

/** A rectangle of the drawing, in pixels; the focus stands at the origin. */
export type Box = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
export type PlacedCard = Box & { readonly card: NodeCard; readonly level: number }
export type PlacedMore = Box & { readonly more: More; readonly unit: MoreUnit }
/** Stands behind the sources of one node when they take several rows. */
export type PlacedFrame = Box & { readonly of: NodeCard }
