import { useEffect, useState } from 'react'
import { itemsAt, type Place } from './moments.ts'
import type { Time } from './use-time.ts'

/** A slider passes most moments within this time. */
const SETTLE_MS = 25
/** With this many items an answer takes a while, so it is requested only when the slider rests. */
const LARGE_ITEMS = 20_000
const LARGE_SETTLE_MS = 300

/**
 * Returns the moment to request while the thumb moves: one request at a time, always for the latest position of the
 * thumb. `isBusy` tells that the last request is not answered yet.
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
