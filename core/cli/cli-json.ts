/**
 * The boundary between the contract and what programs read: every field `…AtMs` (milliseconds) becomes `…At`, ISO 8601
 * in UTC with milliseconds; everything else stays as it is.
 */
export function toCliJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCliJson)
  if (value === null || typeof value !== 'object') return value
  const out: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    if (key.endsWith('AtMs')) out[key.slice(0, -2)] = typeof inner === 'number' ? new Date(inner).toISOString() : inner
    else out[key] = toCliJson(inner)
  }
  return out
}
