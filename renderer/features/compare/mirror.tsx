import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { ComparedSide, Comparison, Difference } from '#core/contract/comparison.ts'
import { useSize } from '#renderer/ui/charts/use-size.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { depthColor, depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { formatShort } from '#renderer/ui/texts/format-time.ts'
import { withSigns } from '#renderer/ui/texts/hidden-characters.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import styles from './mirror.module.css'
import {
  barsOf,
  type DrawnBar,
  depthsOf,
  detailColumns,
  moved,
  placed,
  type Sight,
  windowOf,
  zoomed,
} from './mirror-layout.ts'

type Props = {
  readonly found: Comparison
  readonly sight: Sight
  readonly onSight: (sight: Sight) => void
  readonly selected: Difference | null
  /** Selects the difference of a summary, by its side and index. */
  readonly onBar: (side: 'a' | 'b', index: number) => void
  readonly onWidth: (width: number) => void
}

const DETAILS_PX = 34

/** Two memories mirrored about the axis of their messages: A above, B below. */
export function Mirror({ found, sight, onSight, selected, onBar, onWidth }: Props) {
  const field = useRef<HTMLDivElement>(null)
  const width = useSize(field)?.width ?? 0
  const [at, setAt] = useState<number | null>(null)
  const depths = useMemo(() => depthsOf(found), [found])
  useEffect(() => {
    if (width > 0) onWidth(width)
  }, [width, onWidth])
  useWheel(field, (event) => {
    const box = field.current?.getBoundingClientRect()
    if (!box) return
    const length = sight.to - sight.from
    const across = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      return onSight(moved(sight, (across / box.width) * length, found.places))
    const around = sight.from + ((event.clientX - box.left) / box.width) * length
    onSight(zoomed(sight, Math.exp(event.deltaY / 400), around, found.places))
  })
  const drag = useDrag(sight, width, found.places, onSight)
  const onMove = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const place = Math.floor(sight.from + ((event.clientX - box.left) / box.width) * (sight.to - sight.from))
    setAt(place >= 0 && place < found.places ? place : null)
    drag.onPointerMove(event)
  }
  const band = selected && placed(selected.first, selected.last, sight, width)
  const cross = at === null ? null : placed(at, at, sight, width)
  const layers = (name: 'a' | 'b') =>
    depths.map((depth) => (
      <Layer
        key={depth}
        side={found[name]}
        other={found[name === 'a' ? 'b' : 'a']}
        {...{ name, depth, sight, width, onBar }}
        selected={name === 'a' ? (selected?.a?.id ?? null) : (selected?.b?.id ?? null)}
      />
    ))
  return (
    <div className={styles.mirror}>
      <div className={styles.labels} aria-hidden="true">
        <span>window</span>
        {depths.toReversed().map((depth) => (
          <span key={`a${depth}`}>{depthLabel(depth)}</span>
        ))}
        <span className={styles.kept}>details kept</span>
        {depths.map((depth) => (
          <span key={`b${depth}`}>{depthLabel(depth)}</span>
        ))}
        <span>window</span>
      </div>
      <span className={classNames(styles.side, styles.upper)}>A</span>
      <span className={classNames(styles.side, styles.lower)}>B</span>
      <div
        ref={field}
        className={styles.field}
        onPointerMove={onMove}
        onPointerLeave={() => setAt(null)}
        onPointerDown={drag.onPointerDown}
        onPointerUp={drag.onPointerUp}
        onPointerCancel={drag.onPointerUp}
      >
        {band && <span className={styles.band} style={band} />}
        <WindowRow side={found.a} {...{ sight, width }} />
        {layers('a').reverse()}
        <Details found={found} {...{ sight, width }} />
        {layers('b')}
        <WindowRow side={found.b} {...{ sight, width }} />
        {cross && <span className={styles.cross} style={{ left: cross.left + cross.width / 2 }} />}
      </div>
      <Axis found={found} at={at} {...{ sight, width }} />
    </div>
  )
}

type Drawn = { readonly side: ComparedSide; readonly sight: Sight; readonly width: number }

function WindowRow({ side, sight, width }: Drawn) {
  const runs = useMemo(() => windowOf(side, sight, width), [side, sight, width])
  return (
    <div className={styles.window}>
      {runs.map(({ left, width: own, isSummary }) => (
        <span key={left} style={{ left, width: own }} data-messages={!isSummary || undefined} />
      ))}
    </div>
  )
}

type LayerProps = Drawn & {
  readonly other: ComparedSide
  readonly name: 'a' | 'b'
  readonly depth: number
  readonly selected: string | null
  readonly onBar: Props['onBar']
}

function Layer({ side, other, name, depth, sight, width, selected, onBar }: LayerProps) {
  const bars = useMemo(() => barsOf(side, depth, sight, width), [side, depth, sight, width])
  return (
    <div className={styles.layer} style={{ color: depthColor(depth) }}>
      {bars.map((bar) => (
        <button
          key={`${bar.index} ${bar.count}`}
          type="button"
          tabIndex={-1}
          className={styles.bar}
          style={{ left: bar.left, width: bar.width }}
          data-state={bar.state}
          data-selected={(selected !== null && side.layers.id[bar.index] === selected) || undefined}
          title={barTitle(side, other, bar)}
          onClick={() => onBar(name, bar.index)}
        >
          {bar.width >= 56 && (
            <span className={styles.words} dir="auto">
              <MarkedText text={bar.title} />
            </span>
          )}
        </button>
      ))}
    </div>
  )
}

function barTitle({ layers }: ComparedSide, other: ComparedSide, { index, count, state, title }: DrawnBar): string {
  if (count > 1) return `${formatCount(count)} summaries: zoom in to tell them apart`
  const partner = other.layers.title[layers.partner[index] ?? -1]
  const how = {
    same: 'the same on both sides',
    different: `summarised differently on the other side: ${withSigns(partner ?? '')}`,
    only: 'only on this side',
  }[state]
  const tokens = plural(layers.tokens[index] ?? 0, 'token')
  const messages = plural((layers.last[index] ?? 0) - (layers.first[index] ?? 0) + 1, 'message')
  return `${withSigns(title)}\n${messages}, ${tokens}${layers.inWindow[index] ? ', in the window' : ''}\n${how}\n${layers.id[index]}`
}

/** How many details of each message stand in the window of A (up) and of B (down); amber is what one side keeps more. */
function Details({
  found,
  sight,
  width,
}: {
  readonly found: Comparison
  readonly sight: Sight
  readonly width: number
}) {
  const columns = useMemo(() => detailColumns(found, sight, width), [found, sight, width])
  const middle = DETAILS_PX
  const rect = (left: number, own: number, from: number, to: number): string =>
    to - from < 0.4
      ? ''
      : `M${left.toFixed(1)} ${from.toFixed(1)}h${own.toFixed(1)}V${to.toFixed(1)}h${(-own).toFixed(1)}z`
  const draw = (part: 'both' | 'more'): string =>
    columns
      .map(({ left, width: own, a, b }) => {
        const [least, up, down] = [Math.min(a, b) * DETAILS_PX, a * DETAILS_PX, b * DETAILS_PX]
        return part === 'both'
          ? rect(left, own, middle - least, middle) + rect(left, own, middle, middle + least)
          : rect(left, own, middle - up, middle - least) + rect(left, own, middle + least, middle + down)
      })
      .join('')
  return (
    <div className={styles.details}>
      {found.details === null ? (
        <p>Details are not counted in memories of this size</p>
      ) : (
        <svg
          width={width}
          viewBox={`0 0 ${width} ${2 * DETAILS_PX}`}
          preserveAspectRatio="none"
          role="img"
          aria-label="Details kept by each side, by message"
        >
          <path className={styles.both} d={draw('both')} />
          <path className={styles.more} d={draw('more')} />
          <line x1="0" x2={width} y1={middle} y2={middle} />
        </svg>
      )}
    </div>
  )
}

/** The width of a character on the axis, at most, and the room behind a text. */
const CHAR_PX = 6.2
const ROOM_PX = 12
const widthOf = (text: string): number => text.length * CHAR_PX + ROOM_PX

function Axis({
  found,
  sight,
  width,
  at,
}: Omit<Drawn, 'side'> & { readonly found: Comparison; readonly at: number | null }) {
  const ticks: { left: number; text: string }[] = []
  let free = 0
  for (const { place, atMs } of found.ticks) {
    if (place < sight.from || place >= sight.to) continue
    const { left } = placed(place, place, sight, width)
    const text = `${formatCount(place + 1)} · ${formatShort(atMs)}`
    if (left < free || left + widthOf(text) > width) continue
    ticks.push({ left, text })
    free = left + widthOf(text)
  }
  const cross = at === null ? null : placed(at, at, sight, width)
  const nearest = found.ticks.find(({ place }) => place === at)
  const pointed = at === null ? '' : `message ${formatCount(at + 1)}${nearest ? ` · ${formatShort(nearest.atMs)}` : ''}`
  return (
    <div className={styles.axis} aria-hidden="true">
      {ticks.map(({ left, text }) => (
        <span key={left} style={{ left }}>
          {text}
        </span>
      ))}
      {cross && (
        <span className={styles.at} style={{ left: Math.min(cross.left, Math.max(0, width - widthOf(pointed))) }}>
          {pointed}
        </span>
      )}
    </div>
  )
}

/** React listens passively to the wheel, so that the page would scroll as well. */
function useWheel(element: React.RefObject<HTMLElement | null>, onWheel: (event: WheelEvent) => void): void {
  const latest = useRef(onWheel)
  useEffect(() => {
    latest.current = onWheel
  })
  useEffect(() => {
    const field = element.current
    const listener = (event: WheelEvent) => {
      event.preventDefault()
      latest.current(event)
    }
    field?.addEventListener('wheel', listener, { passive: false })
    return () => field?.removeEventListener('wheel', listener)
  }, [element])
}

function useDrag(sight: Sight, width: number, places: number, onSight: (sight: Sight) => void) {
  const start = useRef<{ x: number; sight: Sight } | null>(null)
  return {
    onPointerDown: (event: PointerEvent<HTMLDivElement>) => {
      if (event.button === 0) start.current = { x: event.clientX, sight }
    },
    onPointerMove: (event: PointerEvent<HTMLDivElement>) => {
      const began = start.current
      if (began === null || width === 0 || Math.abs(event.clientX - began.x) < 3) return
      const by = ((began.x - event.clientX) / width) * (began.sight.to - began.sight.from)
      onSight(moved(began.sight, by, places))
    },
    onPointerUp: () => {
      start.current = null
    },
  }
}
