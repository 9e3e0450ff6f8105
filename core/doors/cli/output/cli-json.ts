import { isoTime } from '#core/clock.ts'

/** Tells a field with a time in milliseconds: `atMs` or `…AtMs`. */
export const isTime = (field: string): boolean => /(^a|A)tMs$/.test(field)
/** The name of a field in print: `createdAtMs` is `createdAt`. */
export const printedName = (field: string): string => (isTime(field) ? field.slice(0, -2) : field)

/**
 * Converts answers of the contract to what programs read: every field `atMs` or `…AtMs` (milliseconds) becomes `at` or
 * `…At`, ISO 8601 in UTC with milliseconds, or null when a damaged file has no possible time. Other fields stay.
 */
export function toCliJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCliJson)
  if (value === null || typeof value !== 'object') return value
  const out: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    if (isTime(key)) out[printedName(key)] = typeof inner === 'number' ? isoTime(inner) : inner
    else out[key] = toCliJson(inner)
  }
  return out
}
