import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { formatAbsolute, formatShort } from '../../ui/format-time.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { momentText } from './moment-text.ts'
import { isSamePlace, NOW, normalised, type Place, playNext, startOf, stepEvent } from './moments.ts'
import styles from './time-bar.module.css'
import { placeForKey, TimeSlider } from './time-slider.tsx'
import type { Time } from './use-time.ts'

type Props = {
  readonly time: Time
  readonly place: Place
  readonly onChange: (place: Place) => void
  /** The time of the moment, or null when it is not known. */
  readonly atMs: number | null
}

const PLAY_EVERY_MS = 650

/** Goes through the past of the window. */
export function TimeBar({ time, place, onChange, atMs }: Props) {
  const [isPlaying, setPlaying] = useState(false)
  const { course, timeline, runPlaces } = time
  const here = normalised(place, course)
  const isNow = here.kind === 'now'
  const go = (next: Place) => {
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
  const text = momentText(here, timeline, course, runPlaces)
  const isAtStart = isSamePlace(here, startOf(course))
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
      <TimeSlider label="Moment" time={time} place={here} onChange={go} />
      <p className={styles.text} aria-live={isPlaying ? 'off' : 'polite'} title={isNow ? undefined : text}>
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

/** The arrow keys move through time from anywhere in the view where they have no other meaning. */
function useTimeKeys(place: Place, time: Time, onChange: (place: Place) => void): void {
  const latest = useRef({ place, time, onChange })
  useEffect(() => {
    latest.current = { place, time, onChange }
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !event.key.startsWith('Arrow') || usesArrows(event.target)) return
      const next = placeForKey(event, latest.current.place, latest.current.time)
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
