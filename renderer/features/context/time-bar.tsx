import { useEffect, useRef, useState } from 'react'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { formatAbsolute, formatShort } from '#renderer/ui/texts/format-time.ts'
import { momentText } from './moment-text.ts'
import { isSamePoint, NOW, normalised, playNext, startOf, stepEvent, type TimePoint } from './moments.ts'
import styles from './time-bar.module.css'
import { pointForKey, TimeSlider } from './time-slider.tsx'
import type { Time } from './use-time.ts'

type Props = {
  readonly time: Time
  readonly point: TimePoint
  readonly onChange: (point: TimePoint) => void
  /** The time of the moment, or null when it is not known. */
  readonly atMs: number | null
}

const PLAY_EVERY_MS = 650

/** Goes through the past of the window. */
export function TimeBar({ time, point, onChange, atMs }: Props) {
  const [isPlaying, setPlaying] = useState(false)
  const { course, timeline, runSteps } = time
  const here = normalised(point, course)
  const isNow = here.kind === 'now'
  const go = (next: TimePoint) => {
    setPlaying(false)
    onChange(next)
  }
  useTimeKeys(here, time, go)
  useEffect(() => {
    if (!isPlaying) return
    const timer = setTimeout(() => {
      const next = playNext(here, course)
      onChange(next)
      if (next.kind === 'now') setPlaying(false)
    }, PLAY_EVERY_MS)
    return () => clearTimeout(timer)
  }, [isPlaying, here, course, onChange])
  const play = () => {
    if (!isPlaying && isNow) onChange(startOf(course))
    setPlaying(!isPlaying)
  }
  const text = momentText(here, timeline, course, runSteps)
  const isAtStart = isSamePoint(here, startOf(course))
  return (
    <fieldset className={styles.bar} aria-label="Time">
      <IconButton
        className={styles.play}
        icon={isPlaying ? 'pause' : 'play'}
        label={isPlaying ? 'Pause' : 'Play how the window came about'}
        onClick={play}
      />
      <IconButton
        icon="arrowLeft"
        label="To the compaction before"
        title="To the compaction before ( ← )"
        disabled={isAtStart}
        onClick={() => go(stepEvent(here, -1, course))}
      />
      <IconButton
        icon="arrowRight"
        label="To the next compaction"
        title="To the next compaction ( → )"
        disabled={isNow}
        onClick={() => go(stepEvent(here, 1, course))}
      />
      <TimeSlider label="Moment" time={time} point={here} onChange={go} />
      <p
        className={styles.text}
        data-now={isNow || undefined}
        aria-live={isPlaying ? 'off' : 'polite'}
        title={isNow ? undefined : text}
      >
        {isNow ? (
          'as of now'
        ) : (
          <>
            as of{' '}
            <b title={atMs === null ? undefined : formatAbsolute(atMs)}>{atMs === null ? '…' : formatShort(atMs)}</b>,{' '}
            {text}
          </>
        )}
      </p>
      <Button className={styles.now} disabled={isNow} onClick={() => go(NOW)}>
        now
      </Button>
    </fieldset>
  )
}

/** Stands in its place while the moments are being fetched, which takes longer than what the model sees now. */
export function WaitingTimeBar() {
  return (
    <div
      className={classNames(styles.bar, styles.waiting)}
      role="status"
      aria-label="Loading the moments of the window"
    >
      <p className={styles.text} data-now>
        as of now
      </p>
    </div>
  )
}

/** The arrow keys move through time from anywhere in the view where they have no other meaning. */
function useTimeKeys(point: TimePoint, time: Time, onChange: (point: TimePoint) => void): void {
  const latest = useRef({ point, time, onChange })
  useEffect(() => {
    latest.current = { point, time, onChange }
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !event.key.startsWith('Arrow') || usesArrows(event.target)) return
      const next = pointForKey(event, latest.current.point, latest.current.time)
      if (next === null) return
      event.preventDefault()
      latest.current.onChange(next)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** True for fields, sliders, choices and menus, which use the arrow keys themselves. */
function usesArrows(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open], :popover-open') !== null) return true
  return target instanceof HTMLElement && target.closest('input, textarea, select, [role="separator"]') !== null
}
