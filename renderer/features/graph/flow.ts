import type { Node } from '@xyflow/react'
import type { NodeCard } from '#core/contract/lineage.ts'
import type { More, MoreUnit } from './block.ts'
import type { GraphLayout } from './graph-layout.ts'
import type { Box } from './placed-items.ts'

export type CardNode = Node<
  {
    readonly card: NodeCard
    /** True for the card around which the graph is drawn. */
    readonly isCentre: boolean
    /** How many sources and dependents are not shown. */
    readonly hiddenSources: number
    readonly hiddenDependents: number
  },
  'card'
>
export type MoreNode = Node<{ readonly more: More; readonly unit: MoreUnit; readonly isExpanded: boolean }, 'more'>
export type FrameNode = Node<{ readonly of: NodeCard }, 'frame'>
export type FlowNode = CardNode | MoreNode | FrameNode

/** The properties of a React Flow node with a fixed position and size. */
const standing = ({ x, y, w, h }: Box) => ({
  position: { x, y },
  width: w,
  height: h,
  measured: { width: w, height: h },
})

type FlowState = {
  readonly focusId: string
  readonly selection: string | null
  readonly expanded: readonly string[]
}

/** The layout in the terms of React Flow. Edges are drawn from the layout itself. */
export function toFlow(layout: GraphLayout, { focusId, selection, expanded }: FlowState): FlowNode[] {
  const frames = layout.frames.map(
    (placed): FrameNode => ({
      ...standing(placed),
      id: `frame ${placed.of.id}`,
      type: 'frame',
      ariaRole: 'presentation',
      zIndex: -1,
      data: { of: placed.of },
    }),
  )
  const withSources = new Set(layout.links.map(({ from }) => from))
  const withDependents = new Set(layout.links.map(({ to }) => to))
  const cards = layout.cards.map(({ card, ...box }): CardNode => {
    const hiddenSources = withSources.has(card.id) ? 0 : card.sources
    const hiddenDependents = withDependents.has(card.id) ? 0 : card.dependents
    return {
      ...standing(box),
      id: card.id,
      type: 'card',
      ariaRole: 'group',
      selected: card.id === selection,
      data: { card, isCentre: card.id === focusId, hiddenSources, hiddenDependents },
    }
  })
  const mores = layout.mores.map(
    ({ more, unit, ...box }): MoreNode => ({
      ...standing(box),
      id: `more ${more.direction} ${more.id}`,
      type: 'more',
      ariaRole: 'group',
      data: { more, unit, isExpanded: expanded.includes(more.id) },
    }),
  )
  return [...frames, ...cards, ...mores]
}
