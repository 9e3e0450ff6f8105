import { useMemo, useState } from 'react'
import type { AssembledContext } from '../../../core/contract/context.ts'
import { formatCompact, formatTokens, plural } from '../../ui/format.ts'
import { useWidth } from '../../ui/use-width.ts'
import { type Category, categoryColor } from './category.ts'
import { pathsByCategory, ribbonScale, type Segment, segmentAt, segmentsOf } from './ribbon.ts'
import { RibbonTip } from './ribbon-tip.tsx'
import styles from './token-ribbon.module.css'

type Props = {
  readonly window: AssembledContext
  readonly selection: string | null
  /** Lights up one category and dims the others. */
  readonly category: Category | null
  readonly onSelect: (id: string) => void
}

const HEIGHT = 34
/** Closer to the hard mark than this, the label of the soft mark stands to its left. */
const LABEL_ROOM = 0.16

/** The window to scale, item after item, with the thresholds marked. The table below it says the same in words. */
export function TokenRibbon({ window, selection, category, onSelect }: Props) {
  const [box, width] = useWidth<HTMLDivElement>()
  const [hovered, setHovered] = useState<Segment | null>(null)
  const scale = ribbonScale(window)
  const segments = useMemo(() => segmentsOf(window.items, width, scale), [window.items, width, scale])
  const paths = useMemo(() => [...pathsByCategory(segments, HEIGHT)], [segments])
  const selected = useMemo(() => selectedSegment(window, segments, selection), [window, segments, selection])
  const soft = (window.budget * window.softThreshold) / scale
  const hard = (window.budget * window.hardThreshold) / scale
  const pick = (offsetX: number) => segmentAt(segments, offsetX)
  const idOf = (segment: Segment | null) => (segment === null ? undefined : window.items[segment.main]?.id)
  return (
    <div className={styles.ribbon} ref={box}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table below selects the same items by key */}
      <svg
        className={styles.band}
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`${formatTokens(window.tokens)} of ${formatTokens(window.budget)} in ${plural(window.items.filter((item) => item.included).length, 'item')}`}
        onPointerMove={(event) => setHovered(pick(event.nativeEvent.offsetX))}
        onPointerLeave={() => setHovered(null)}
        onClick={(event) => {
          const id = idOf(pick(event.nativeEvent.offsetX))
          if (id !== undefined) onSelect(id)
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
        {hovered !== null && <Frame segment={hovered} className={styles.hovered} />}
        {selected !== null && <Frame segment={selected} className={styles.selected} />}
      </svg>
      <span className={styles.soft} style={{ left: `${soft * 100}%` }} />
      <span className={styles.hard} style={{ left: `${hard * 100}%` }} />
      <div className={styles.labels} aria-hidden="true">
        <span className={styles.zero}>0</span>
        <span className={styles.softLabel} data-left={hard - soft < LABEL_ROOM} style={{ left: `${soft * 100}%` }}>
          τ soft {formatCompact(window.budget * window.softThreshold)}
        </span>
        <span className={styles.hardLabel} style={{ left: `${hard * 100}%` }}>
          τ hard {formatCompact(window.budget * window.hardThreshold)}
        </span>
      </div>
      {hovered !== null && <RibbonTip segment={hovered} window={window} widthPx={width} />}
    </div>
  )
}

function Frame({ segment, className }: { readonly segment: Segment; readonly className: string | undefined }) {
  const x = Math.max(0, segment.x0 - 0.5)
  return (
    <rect className={className} x={x} y={0.5} width={Math.max(2, segment.x1 - segment.x0)} height={HEIGHT - 1} rx={1} />
  )
}

function selectedSegment(window: AssembledContext, segments: readonly Segment[], id: string | null): Segment | null {
  const index = id === null ? -1 : window.items.findIndex((item) => item.id === id && item.included)
  return index < 0 ? null : (segments.find(({ first, last }) => first <= index && index <= last) ?? null)
}
