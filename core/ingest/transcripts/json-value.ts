/** A JSON object of unknown shape: transcripts follow no schema, so every field is looked at before it is used. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value when it is an object, otherwise an empty one. */
export const objectAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key]
  return isObject(value) ? value : {}
}

/** The value when it is a string that is not empty. */
export const textAt = (object: JsonObject, key: string): string | null => {
  const value = object[key]
  return typeof value === 'string' && value !== '' ? value : null
}

/** The value when it is a whole number that columns can hold. */
export const countAt = (object: JsonObject, key: string): number | null => {
  const value = object[key]
  return Number.isSafeInteger(value) ? (value as number) : null
}

export const listAt = (object: JsonObject, key: string): readonly unknown[] => {
  const value = object[key]
  return Array.isArray(value) ? value : []
}
