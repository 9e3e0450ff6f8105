import { useEffect, useState } from 'react'

/** Returns the present time and updates it regularly, for relative times. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

const FRESH_MS = 10_000

/**
 * Returns after how many milliseconds a time is drawn anew: each second while it is fresh, and then every ten. A window
 * in which nothing happens would otherwise be laid out and painted each second.
 */
export const paceOf = (atMs: number | null, nowMs: number): number =>
  atMs !== null && nowMs - atMs < FRESH_MS ? 1000 : 10_000
