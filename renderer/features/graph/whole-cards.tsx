import { type Node, type NodeProps, useStore } from '@xyflow/react'
import { useMemo } from 'react'
import { classNames } from '#renderer/ui/class-names.ts'
import { type NodeLook, nodeColor, nodeLabel } from '#renderer/ui/depth-color.ts'
import { plural, shortenId } from '#renderer/ui/format.ts'
import { MarkedText } from '#renderer/ui/marked-text.tsx'
import { FindingMark, NoteMark } from '#renderer/ui/node-marks.tsx'
import { useName } from '#renderer/ui/use-names.ts'
import type { Size } from '#renderer/ui/use-size.ts'
import cards from './lineage-graph.module.css'
import { boxOf, nodesIn, type WholeLayout } from './whole-layout.ts'
import { lookOf } from './whole-paths.ts'

/** Smaller than this no card can be read: then the boxes below them say what they can. */
export const READABLE = 0.4

export type CardNode = Node<
  {
    readonly node: number
    readonly id: string
    readonly look: NodeLook
    readonly messages: number
    readonly isLit: boolean
  },
  'card'
>

/** Cards further away than this, in pixels of the window, are not drawn. */
const AROUND_PX = 240
/** What is in sight is looked at again when the drawing has moved this far, in pixels of the window. */
const STEP_PX = 120

/** Returns the cards in sight, as React Flow takes them. None while they could not be read. */
export function useCards(layout: WholeLayout, { width, height }: Size, selected: number): CardNode[] {
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
    return nodesIn(layout, box).map((node) => cardOf(layout, node, node === selected))
  }, [layout, seen, width, height, selected])
}

function cardOf(layout: WholeLayout, node: number, isSelected: boolean): CardNode {
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
      isLit: inWindow[node] === 1,
    },
  }
}

function Card({ data: { id, look, messages, isLit }, selected }: NodeProps<CardNode>) {
  const name = useName(id)
  const isMissing = look.kind === 'missing'
  return (
    <div
      className={classNames(cards.card, selected && cards.selected, isMissing && cards.missing)}
      style={{ borderLeftColor: isMissing ? 'var(--error)' : nodeColor(look) }}
      title={name === null ? id : `${name}\n${id}`}
    >
      <div className={cards.title}>
        <FindingMark id={id} />
        <NoteMark id={id} />
        <span className={cards.name}>
          <bdi>
            <MarkedText text={name ?? shortenId(id, 22)} />
          </bdi>
        </span>
        {isLit && <span className={cards.lit} title="in the window" role="img" aria-label="in the window" />}
      </div>
      <div className={cards.facts}>
        <span>{isMissing ? 'not in this file' : `${nodeLabel(look)} · ${plural(messages, 'message')}`}</span>
      </div>
    </div>
  )
}

export const NODE_TYPES = { card: Card }
