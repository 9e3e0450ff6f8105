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

const ISO = /^\d{4}(-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/i

/** Reads ISO 8601 as milliseconds, or returns null. A date or time without a zone is UTC. */
export function isoToMs(text: string): number | null {
  const match = ISO.exec(text)
  if (!match || !isDay(text)) return null
  const isClock = match[3] !== undefined
  const hasZone = match[6] !== undefined
  const iso = text.replace(' ', 'T').replace(',', '.')
  const value = Date.parse(isClock && !hasZone ? `${iso}Z` : iso)
  return Number.isNaN(value) ? null : value
}

/** Returns false for the 30th of February, which `Date` reads as the 2nd of March. */
function isDay(text: string): boolean {
  const day = text.slice(0, 10)
  const atMs = Date.parse(day)
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day)
}

/** Converts `<epoch seconds>Z` or ISO 8601 to milliseconds, and other texts to NaN. */
export const eventTimeMs = (ts: string): number =>
  /^\d+(\.\d+)?Z$/.test(ts) ? Number.parseFloat(ts) * 1000 : Date.parse(ts)
