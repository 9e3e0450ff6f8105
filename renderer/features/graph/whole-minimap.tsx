import { useReactFlow, useStore } from '@xyflow/react'
import { memo } from 'react'
import type { Size } from '#renderer/ui/charts/use-size.ts'
import { formatCount } from '#renderer/ui/texts/format.ts'
import styles from './whole-graph.module.css'
import { boxesPath, type WholeLayout } from './whole-layout.ts'
import type { WholePaths } from './whole-paths.ts'

const MINIMAP = { w: 132, h: 180 } as const

type Props = {
  readonly layout: WholeLayout
  readonly paths: WholePaths
  readonly size: Size
  readonly selected: number
}

/** The boxes of all nodes. What is in the window is lit. They stay the same while the drawing moves. */
export const BoxPaths = memo(function BoxPaths({ boxes }: Pick<WholePaths, 'boxes'>) {
  return boxes.map(({ color, path, isInWindow }) => (
    <path
      key={`${color} ${isInWindow}`}
      className={isInWindow ? styles.litBox : styles.box}
      d={path}
      style={{ fill: color }}
    />
  ))
})

/** The whole graph in small, with what is in sight. A click or a drag goes there. */
export function Minimap({ layout, paths, size, selected }: Props) {
  const flow = useReactFlow()
  const [x, y, zoom] = useStore(({ transform }) => transform)
  const { bounds } = layout
  const go = (event: { clientX: number; clientY: number; currentTarget: Element }) => {
    const area = event.currentTarget.getBoundingClientRect()
    const at = {
      x: bounds.x + ((event.clientX - area.left) / area.width) * bounds.w,
      y: bounds.y + ((event.clientY - area.top) / area.height) * bounds.h,
    }
    void flow.setViewport({ x: size.width / 2 - at.x * zoom, y: size.height / 2 - at.y * zoom, zoom })
  }
  return (
    <svg
      className={styles.minimap}
      width={MINIMAP.w}
      height={MINIMAP.h}
      viewBox={`${bounds.x} ${bounds.y} ${bounds.w} ${Math.max(1, bounds.h)}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`All ${formatCount(layout.graph.nodes.id.length)} summaries in small`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        go(event)
      }}
      onPointerMove={(event) => event.buttons === 1 && go(event)}
    >
      <BoxPaths boxes={paths.boxes} />
      {selected >= 0 && <path className={styles.selectedBox} d={boxesPath(layout, [selected])} />}
      <rect
        className={styles.sight}
        x={-x / zoom}
        y={-y / zoom}
        width={size.width / zoom}
        height={size.height / zoom}
      />
    </svg>
  )
}
