import { type KeyboardEvent, type PointerEvent, useId } from 'react'
import type { CompactionEvent } from '#core/contract/time-travel.ts'
import { depthMarks } from '#renderer/ui/charts/depth-marks.ts'
import { useWidth } from '#renderer/ui/charts/use-size.ts'
import { keptOf } from '#renderer/ui/data/kept-of.ts'
import { depthColor, depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { eventText, momentText } from './moment-text.ts'
import { type Course, NOW, normalised, progressAt, startOf, stepEvent, stepMessage, type TimePoint } from './moments.ts'
import { eventPosition, pointAt, positionOf } from './time-axis.ts'
import styles from './time-bar.module.css'
import type { Time } from './use-time.ts'

type Props = {
  readonly label: string
  readonly time: Time
  readonly point: TimePoint
  readonly onChange: (point: TimePoint) => void
}

/** Half the width of the thumb, and how near the pointer must come to an event. */
const REACH_PX = 5
const TICK_PX = 9

const ticksOf = keptOf((events: readonly CompactionEvent[], course: Course, width: number) => {
  const onAxis = events.map(({ depth }, index) => ({ x: eventPosition(index, course), depth }))
  return depthMarks(onAxis, width, TICK_PX)
})

/** The history from left to right with a tick for each compaction. Everything left of the thumb has happened. */
export function TimeSlider({ label, time, point, onChange }: Props) {
  const [box, width] = useWidth<HTMLDivElement>()
  const hint = useId()
  const { timeline, course, runSteps } = time
  const x = positionOf(point, course)
  const steps = course.messages + course.eventMessages.length
  const { messages, events } = progressAt(normalised(point, course), course)
  const current = point.kind === 'event' ? timeline.events[point.index] : undefined

  const follow = (event: PointerEvent<HTMLDivElement>) => {
    const bounds = event.currentTarget.getBoundingClientRect()
    onChange(pointAt((event.clientX - bounds.left) / bounds.width, course, REACH_PX / bounds.width))
  }
  return (
    <div
      ref={box}
      className={styles.slider}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={steps}
      aria-valuenow={messages + events}
      aria-valuetext={momentText(point, timeline, course, runSteps)}
      aria-describedby={hint}
      title={current === undefined ? undefined : eventText(current)}
      onKeyDown={(event) => {
        const next = pointForKey(event, point, time)
        if (next === null) return
        event.preventDefault()
        event.stopPropagation()
        onChange(next)
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        follow(event)
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) follow(event)
      }}
    >
      <span id={hint} hidden>
        Left and right go from compaction to compaction, with Shift from message to message.
      </span>
      <span className={styles.track}>
        <span className={styles.past} style={{ width: `${x * 100}%` }} />
      </span>
      <svg className={styles.ticks} width={width} height={TICK_PX} aria-hidden="true">
        <Ticks events={timeline.events} course={course} width={width} />
      </svg>
      {current !== undefined && (
        <span
          className={styles.at}
          style={{ left: `${eventPosition(events - 1, course) * 100}%`, background: depthColor(current.depth) }}
        />
      )}
      <span className={styles.thumb} style={{ left: `${x * 100}%` }} />
    </div>
  )
}

type TicksProps = { readonly events: readonly CompactionEvent[]; readonly course: Course; readonly width: number }

function Ticks({ events, course, width }: TicksProps) {
  if (width === 0) return null
  return [...ticksOf(events, course, width)].map(([depth, path]) => (
    <path key={depth} d={path} stroke={depthColor(depth)}>
      <title>{depthLabel(depth)}</title>
    </path>
  ))
}

/** Returns the moment to which a key leads, or null for other keys. */
export function pointForKey(
  event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  point: TimePoint,
  { course }: Pick<Time, 'course'>,
): TimePoint | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null
  if (event.key === 'Home') return startOf(course)
  if (event.key === 'End') return NOW
  if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return null
  const direction = event.key === 'ArrowRight' ? 1 : -1
  return event.shiftKey ? stepMessage(point, direction, course) : stepEvent(point, direction, course)
}

type MomentFieldProps = {
  readonly label: string
  readonly time: Time
  readonly point: TimePoint
  readonly onChange: (point: TimePoint) => void
}

/** Chooses a moment in a line of a form: the slider of the window's past, and the moment in words. */
export function MomentField({ label, time, point, onChange }: MomentFieldProps) {
  const here = normalised(point, time.course)
  const text = momentText(here, time.timeline, time.course, time.runSteps)
  return (
    <span className={styles.field}>
      <span className={styles.label}>{label}</span>
      <TimeSlider label={label} time={time} point={here} onChange={onChange} />
      <span className={styles.momentText} title={text}>
        {text}
      </span>
    </span>
  )
}
