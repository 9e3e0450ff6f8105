type RawJson = { isRawJSON(value: unknown): boolean }

/** Numbers that keep the spelling of their file. https://tc39.es/proposal-json-parse-with-source/ */
const isSpelledNumber = (value: unknown): boolean => (JSON as unknown as RawJson).isRawJSON(value)

/** No value that belongs to a memory is nested deeper, and a deeper one could not be written. */
const DEEPEST = 1000

/**
 * Writes JSON with keys sorted at every level and without spaces, so that equal values have equal bytes and equal
 * hashes. Names that look like numbers are sorted as texts, too.
 * @throws RangeError when the value is nested too deeply
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > DEEPEST) throw new RangeError('nested too deeply')
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one ?? null, depth + 1)).join(',')}]`
  if (typeof value !== 'object' || value === null || isSpelledNumber(value)) return JSON.stringify(value)
  const fields = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, one]) => `${JSON.stringify(key)}:${canonicalJson(one, depth + 1)}`)
  return `{${fields.join(',')}}`
}
