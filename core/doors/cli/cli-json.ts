import { isoTime } from '../../clock.ts'

/**
 * The boundary between the contract and what programs read: every field `atMs` or `…AtMs` (milliseconds) becomes `at` or
 * `…At`, ISO 8601 in UTC with milliseconds, null where a damaged file holds no possible time; everything else stays.
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
