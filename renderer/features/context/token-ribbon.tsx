import { useMemo, useState } from 'react'
import type { AssembledContext } from '#core/contract/context.ts'
import { meaningOf } from '#core/contract/glossary.ts'
import { useWidth } from '#renderer/ui/charts/use-size.ts'
import { formatCompact, formatPercent, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { type Category, categoryColor, categoryLabel, categoryOf } from './category.ts'
import { isTooSmallToRead, pathsByCategory, ribbonScale, type Segment, segmentAt, segmentsOf } from './ribbon.ts'
import styles from './token-ribbon.module.css'

type Props = {
  readonly window: AssembledContext
  readonly selection: string | null
  /** The category that is highlighted while the others are dimmed. */
  readonly category: Category | null
  readonly onSelect: (id: string) => void
}

const HEIGHT = 34
/** The height of the band to scale when another band magnifies a part of it. */
const SMALL_HEIGHT = 12

/**
 * The window to scale, item after item, with the thresholds marked. A window that fills little of it is also shown
 * magnified. The table below has the same content in words.
 */
export function TokenRibbon({ window, selection, category, onSelect }: Props) {
  const [box, width] = useWidth<HTMLDivElement>()
  const [hovered, setHovered] = useState<Segment | null>(null)
  const { items, tokens } = window
  const scale = ribbonScale(window)
  const isSmall = isTooSmallToRead(tokens, scale)
  const toScale = useMemo(() => segmentsOf(items, width, scale), [items, width, scale])
  const magnified = useMemo(() => (isSmall ? segmentsOf(items, width, tokens) : []), [isSmall, items, width, tokens])
  const selected = useMemo(
    () => (selection === null ? -1 : items.findIndex((item) => item.id === selection && item.included)),
    [items, selection],
  )
  const band = {
    widthPx: width,
    category,
    selected,
    hovered,
    onHover: setHovered,
    onSelect: (segment: Segment) => {
      const id = items[segment.main]?.id
      if (id !== undefined) onSelect(id)
    },
  }
  const count = plural(items.filter((item) => item.included).length, 'item')
  return (
    <div className={styles.ribbon} ref={box}>
      <RibbonBand
        {...band}
        segments={toScale}
        heightPx={isSmall ? SMALL_HEIGHT : HEIGHT}
        label={`${formatTokens(tokens)} of ${formatTokens(window.budget)} in ${count}`}
      />
      <RibbonMarks window={window} scale={scale} heightPx={isSmall ? SMALL_HEIGHT : HEIGHT} />
      {isSmall && (
        <>
          <div
            className={styles.wedge}
            style={{ clipPath: `polygon(0 0, ${(tokens / scale) * 100}% 0, 100% 100%, 0 100%)` }}
          />
          <RibbonBand {...band} segments={magnified} heightPx={HEIGHT} label={`The same, magnified`} />
        </>
      )}
      {hovered !== null && <RibbonTip segment={hovered} window={window} widthPx={width} />}
    </div>
  )
}

type RibbonMarksProps = {
  readonly window: AssembledContext
  /** Tokens at the right edge. */
  readonly scale: number
  /** The height of the band with the marks. */
  readonly heightPx: number
}

/** When the two marks are closer than this, the label of the soft mark is to its left. */
const LABEL_ROOM = 0.16
const OVERHANG_PX = 4

/** The soft and the hard threshold, drawn over the band and labelled below it. */
function RibbonMarks({ window, scale, heightPx }: RibbonMarksProps) {
  const soft = window.budget * window.softThreshold
  const hard = window.budget * window.hardThreshold
  const at = (tokens: number) => `${(tokens / scale) * 100}%`
  const height = heightPx + 2 * OVERHANG_PX
  return (
    <>
      <span className={styles.soft} style={{ left: at(soft), height }} />
      <span className={styles.hard} style={{ left: at(hard), height }} />
      <div className={styles.labels} aria-hidden="true">
        <span>0</span>
        <span
          className={styles.softLabel}
          data-left={(hard - soft) / scale < LABEL_ROOM}
          style={{ left: at(soft) }}
          title={meaningOf('τ soft, τ hard')}
        >
          compact at {formatCompact(soft)}
        </span>
        <span className={styles.hardLabel} style={{ left: at(hard) }} title={meaningOf('τ soft, τ hard')}>
          must at {formatCompact(hard)}
        </span>
      </div>
    </>
  )
}

type RibbonTipProps = {
  readonly segment: Segment
  readonly window: AssembledContext
  readonly widthPx: number
}

const TIP_WIDTH = 300

/** Describes the item under the pointer, beside the ribbon. */
function RibbonTip({ segment, window, widthPx }: RibbonTipProps) {
  const item = window.items[segment.main]
  if (item === undefined) return null
  const left = Math.max(0, Math.min((segment.x0 + segment.x1) / 2 - TIP_WIDTH / 2, widthPx - TIP_WIDTH))
  const others = segment.items - 1
  return (
    <div className={styles.tip} style={{ left, width: TIP_WIDTH }}>
      <p className="dim">
        <span className={styles.id}>{item.id}</span>
        {categoryLabel(categoryOf(item))} · {formatTokens(item.tokens)}
        {window.tokens > 0 && ` · ${formatPercent(item.tokens / window.tokens)}`}
      </p>
      <p className="clamped">
        <MarkedText text={item.excerpt} />
      </p>
      {others > 0 && (
        <p className="dim">
          and {plural(others, 'smaller item')} beside it, {formatTokens(segment.tokens - item.tokens)} together
        </p>
      )}
    </div>
  )
}

type BandProps = {
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
function RibbonBand(props: BandProps) {
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
