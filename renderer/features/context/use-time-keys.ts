import { useEffect, useRef } from 'react'
import type { Place } from './moments.ts'
import { placeForKey } from './time-slider.tsx'
import type { Time } from './use-time.ts'

/** The arrow keys go through time from anywhere in the view where they mean nothing else. */
export function useTimeKeys(place: Place, time: Time, onChange: (place: Place) => void): void {
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

/** Fields, sliders, choices and menus move by the arrows themselves. */
function usesArrows(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open], :popover-open') !== null) return true
  return target instanceof HTMLElement && target.closest('input, textarea, select, [role="separator"]') !== null
}
