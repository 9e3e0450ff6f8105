import { useMemo } from 'react'
import type { Strata } from '#core/contract/strata.ts'
import { useWidth } from '#renderer/ui/charts/use-size.ts'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { plural } from '#renderer/ui/texts/format.ts'
import { barsPath, laneRows } from './lane-rows.ts'
import styles from './strata-lane.module.css'
import { useStrata } from './use-strata-queries.ts'
import { type Scale, toPx } from './viewport.ts'

/** Something at a message of the conversation. */
type LaneMark = { readonly key: number; readonly position: number; readonly tone: string }

type Props = {
  readonly conversationId: number
  readonly marks: readonly LaneMark[]
  readonly selected: number | null
  readonly onSelect: (key: number) => void
  /** What the marks are, for a screen reader. */
  readonly label: string
}

const ROW = 6
const PITCH = 8
const MARKS = 12
const GUTTER = 14
/** A mark takes a click within this distance. */
const REACH_PX = 6

/** The strata as thin lines, and marks at single messages below them. */
export function StrataLane({ conversationId, ...props }: Props) {
  const { data, error, refetch } = useStrata(conversationId, 'messages')
  if (data !== undefined) return <Lane strata={data} {...props} />
  return error ? <ErrorLine error={error} onRetry={() => void refetch()} /> : <Loading what="the layers" lines={1} />
}

type LaneProps = Omit<Props, 'conversationId'> & { readonly strata: Strata }

function Lane({ strata, marks, selected, onSelect, label }: LaneProps) {
  const [box, width] = useWidth<HTMLDivElement>()
  const scale: Scale = useMemo(
    () => ({ x0: 0, x1: Math.max(1, strata.extent), left: GUTTER, width: Math.max(1, width - 2 * GUTTER) }),
    [strata.extent, width],
  )
  const rows = useMemo(() => laneRows(strata, scale), [strata, scale])
  const top = rows.length * PITCH + 4
  const xOf = (position: number): number => toPx(scale, position + 0.5)
  const chosen = marks.find(({ key }) => key === selected)
  const pick = (px: number) => {
    const near = marks
      .map((mark) => ({ mark, distance: Math.abs(xOf(mark.position) - px) }))
      .filter(({ distance }) => distance <= REACH_PX)
      .sort((a, b) => a.distance - b.distance)[0]
    if (near) onSelect(near.mark.key)
  }
  return (
    <div ref={box} className={styles.lane}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list beside it does the same with keys */}
      <svg
        width={width}
        height={top + MARKS + 4}
        role="img"
        aria-label={`${label}, over ${plural(strata.totalMessages, 'message')} and ${plural(strata.summaries.id.length, 'summary', 'summaries')}`}
        onClick={(event) => pick(event.clientX - event.currentTarget.getBoundingClientRect().left)}
      >
        {rows.map(({ name, color, runs }, row) => (
          <g key={name} fill={color}>
            <title>{name}</title>
            <path d={barsPath(runs, row * PITCH + 2, ROW - 1, 1)} />
          </g>
        ))}
        {chosen && (
          <line
            className={styles.line}
            x1={xOf(chosen.position)}
            x2={xOf(chosen.position)}
            y1={0}
            y2={top + MARKS + 2}
          />
        )}
        {marks.map(({ key, position, tone }) => (
          <rect
            key={key}
            className={styles.mark}
            data-tone={tone}
            data-selected={key === selected || undefined}
            x={xOf(position) - 1.5}
            y={top}
            width={3}
            height={MARKS}
            rx={1}
          />
        ))}
      </svg>
    </div>
  )
}
