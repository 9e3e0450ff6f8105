import { useMemo } from 'react'
import { type Category, categoryColor } from './category.ts'
import { pathsByCategory, type Segment, segmentAt } from './ribbon.ts'
import styles from './token-ribbon.module.css'

type Props = {
  readonly segments: readonly Segment[]
  readonly widthPx: number
  readonly heightPx: number
  /** The description for a screen reader. */
  readonly label: string
  /** The category that is highlighted while the others are dimmed. */
  readonly category: Category | null
  /** Index of the selected item, or -1. */
  readonly selected: number
  readonly hovered: Segment | null
  readonly onHover: (segment: Segment | null) => void
  readonly onSelect: (segment: Segment) => void
}

/** A row of segments. A few paths draw a thousand of them. */
export function RibbonBand(props: Props) {
  const { segments, widthPx, heightPx, label, category, selected, hovered, onHover, onSelect } = props
  const paths = useMemo(() => [...pathsByCategory(segments, heightPx)], [segments, heightPx])
  const chosen = segments.find(({ first, last }) => first <= selected && selected <= last)
  const pick = (event: { nativeEvent: MouseEvent }) => segmentAt(segments, event.nativeEvent.offsetX)
  const frame = (segment: Segment, className: string | undefined) => (
    <rect
      className={className}
      x={Math.max(1, segment.x0)}
      y={1}
      width={Math.max(2, segment.x1 - segment.x0 - 1)}
      height={heightPx - 2}
    />
  )
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table below selects the same items by key
    <svg
      className={styles.band}
      width={widthPx}
      height={heightPx}
      role="img"
      aria-label={label}
      onPointerMove={(event) => onHover(pick(event))}
      onPointerLeave={() => onHover(null)}
      onClick={(event) => {
        const segment = pick(event)
        if (segment !== null) onSelect(segment)
      }}
    >
      {paths.map(([name, path]) => (
        <path
          key={name}
          d={path}
          fill={categoryColor(name)}
          opacity={category === null || category === name ? 1 : 0.2}
        />
      ))}
      {hovered !== null && segments.includes(hovered) && frame(hovered, styles.hovered)}
      {chosen !== undefined && frame(chosen, styles.selected)}
    </svg>
  )
}
