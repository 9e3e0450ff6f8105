import { useEffect, useState } from 'react'
import { itemsAt, type Place } from './moments.ts'
import type { Time } from './use-time.ts'

/** A slider passes by quickly. */
const SETTLE_MS = 25
/** From this many items on an answer takes a while, so the slider has to rest before it is asked for. */
const LARGE_ITEMS = 20_000
const LARGE_SETTLE_MS = 300

/**
 * The moment that is asked for while the thumb moves on: one question at a time, always about where the thumb is by
 * then. `isBusy` says that the last one is not answered yet.
 */
export function useAskedPlace(place: Place, time: Time | null): readonly [Place, (isBusy: boolean) => void] {
  const [asked, setAsked] = useState(place)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    if (isBusy || asked === place) return
    const isLarge = time !== null && itemsAt(place, time.course) > LARGE_ITEMS
    const timer = setTimeout(() => setAsked(place), isLarge ? LARGE_SETTLE_MS : SETTLE_MS)
    return () => clearTimeout(timer)
  }, [isBusy, asked, place, time])
  return [asked, setBusy]
}
