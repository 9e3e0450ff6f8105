import { type Node, type NodeProps, useStore } from '@xyflow/react'
import { useMemo } from 'react'
import type { Size } from '#renderer/ui/charts/use-size.ts'
import { type NodeLook, nodeLabel } from '#renderer/ui/nodes/depth-color.ts'
import { plural } from '#renderer/ui/texts/format.ts'
import { CardFace } from './card-face.tsx'
import { boxOf, nodesIn, type WholeLayout } from './whole-layout.ts'
import { lookOf } from './whole-paths.ts'

/** Smaller than this no card can be read: then the boxes below them say what they can. */
export const READABLE = 0.4

export type WholeNode = Node<
  {
    readonly node: number
    readonly id: string
    readonly look: NodeLook
    readonly messages: number
    readonly isInWindow: boolean
  },
  'card'
>

/** Cards further away than this, in pixels of the window, are not drawn. */
const AROUND_PX = 240
/** What is in sight is looked at again when the drawing has moved this far, in pixels of the window. */
const STEP_PX = 120

/** Returns the cards in sight, as React Flow takes them. None while they could not be read. */
export function useCards(layout: WholeLayout, { width, height }: Size, selected: number): WholeNode[] {
  // The drawing moves at every frame; the cards in sight change now and then.
  const seen = useStore(({ transform: [x, y, zoom] }) =>
    zoom < READABLE ? '' : `${Math.round(x / STEP_PX)} ${Math.round(y / STEP_PX)} ${zoom}`,
  )
  return useMemo(() => {
    if (seen === '') return []
    const [x = 0, y = 0, zoom = 1] = seen.split(' ').map(Number)
    const box = {
      x: (-x * STEP_PX - AROUND_PX) / zoom,
      y: (-y * STEP_PX - AROUND_PX) / zoom,
      w: (width + 2 * AROUND_PX) / zoom,
      h: (height + 2 * AROUND_PX) / zoom,
    }
    return nodesIn(layout, box).map((node) => nodeOf(layout, node, node === selected))
  }, [layout, seen, width, height, selected])
}

function nodeOf(layout: WholeLayout, node: number, isSelected: boolean): WholeNode {
  const { id, messages, inWindow } = layout.graph.nodes
  const { x, y, w, h } = boxOf(layout, node)
  return {
    id: id[node] ?? '',
    type: 'card',
    position: { x, y },
    width: w,
    height: h,
    measured: { width: w, height: h },
    ariaRole: 'group',
    selected: isSelected,
    data: {
      node,
      id: id[node] ?? '',
      look: lookOf(layout, node),
      messages: messages[node] ?? 0,
      isInWindow: inWindow[node] === 1,
    },
  }
}

function WholeCard({ data: { id, look, messages, isInWindow }, selected }: NodeProps<WholeNode>) {
  const facts = look.kind === 'missing' ? 'not in this file' : `${nodeLabel(look)} · ${plural(messages, 'message')}`
  return <CardFace {...{ id, look, isInWindow }} isSelected={selected} facts={<span>{facts}</span>} />
}

export const NODE_TYPES = { card: WholeCard }
