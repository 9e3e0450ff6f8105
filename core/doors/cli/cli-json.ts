import { isoTime } from '../../clock.ts'

/**
 * Converts answers of the contract to what programs read: every field `atMs` or `…AtMs` (milliseconds) becomes `at` or
 * `…At`, ISO 8601 in UTC with milliseconds, or null when a damaged file has no possible time. Other fields stay.
 */
export function toCliJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCliJson)
  if (value === null || typeof value !== 'object') return value
  const out: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    if (/(^a|A)tMs$/.test(key)) out[key.slice(0, -2)] = typeof inner === 'number' ? isoTime(inner) : inner
    else out[key] = toCliJson(inner)
  }
  return out
}
