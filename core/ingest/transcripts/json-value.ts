/** A JSON object of unknown shape. Transcripts follow no schema, so every field is checked before it is used. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value when it is an object, and otherwise an empty object. */
export const objectAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key]
  return isObject(value) ? value : {}
}

/** Returns the value when it is a non-empty string. */
export const textAt = (object: JsonObject, key: string): string | null => {
  const value = object[key]
  return typeof value === 'string' && value !== '' ? value : null
}

/** Returns the value when it is a whole number that fits into a column. */
export const countAt = (object: JsonObject, key: string): number | null => {
  const value = object[key]
  return Number.isSafeInteger(value) ? (value as number) : null
}

export const listAt = (object: JsonObject, key: string): readonly unknown[] => {
  const value = object[key]
  return Array.isArray(value) ? value : []
}

/** Returns the value when it is an amount: a number that is not negative. */
export const amountAt = (object: JsonObject, key: string): number | null => {
  const value = object[key]
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}
