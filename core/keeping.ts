/**
 * Returns a function that makes something when it is first called, and gives the same with every later call. What failed,
 * also as a promise, is made again with the next call.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    if (made !== null) return made.value
    const now = { value: make() }
    made = now
    // Whoever waits for the promise is told why it failed.
    if (now.value instanceof Promise)
      now.value.catch(() => {
        if (made === now) made = null
      })
    return now.value
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
