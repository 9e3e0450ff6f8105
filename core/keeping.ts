/** Returns a function that makes something when it is first called, and gives the same with every later call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Keeps a value as the most recently used of a map, which is ordered by last use, and removes the least recently used
 * ones beyond a number of them.
 */
export function keepRecent<Key, Value>(kept: Map<Key, Value>, key: Key, value: Value, most: number): Value {
  kept.delete(key)
  kept.set(key, value)
  for (const oldest of kept.keys().take(Math.max(0, kept.size - most))) kept.delete(oldest)
  return value
}
