/** Returns the value of a JSON text, or undefined, which no JSON text means, where the text is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the elements of a JSON array, or none where the text is no JSON array. */
export function jsonElements(text: string): readonly unknown[] {
  const value = parsedJson(text)
  return Array.isArray(value) ? value : []
}

/** Runs what goes through a whole value. Returns undefined where the value is nested too deeply for that. */
export function unlessTooDeep<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
