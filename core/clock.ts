/** Wall clock in milliseconds since 1970. Tests replace it. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** A later time has no ISO form. https://tc39.es/ecma262/#sec-time-values-and-time-range */
const LATEST_MS = 8.64e15

/** Returns ISO 8601 in UTC with milliseconds, or null for a value that is no time, as a damaged file may hold it. */
export function isoTime(atMs: number | null): string | null {
  return atMs !== null && Math.abs(atMs) <= LATEST_MS ? new Date(atMs).toISOString() : null
}

/** Returns `2026-03-02 09:14` in UTC, or null for a value that is no time. */
export function isoMinute(atMs: number): string | null {
  return isoTime(atMs)?.slice(0, -8).replace('T', ' ') ?? null
}
