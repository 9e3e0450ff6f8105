/**
 * Returns a function that makes a value with its first call, and returns the same value with every later call. A failure is
 * not kept, and neither is a promise that fails: the next call tries again.
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
 * Returns the promise of the work that is under way for a key, and begins the work when there is none. When it has ended,
 * or failed, nothing is kept of it.
 */
export function sharedWork<Key, T>(underway: Map<Key, Promise<T>>, key: Key, begin: () => Promise<T>): Promise<T> {
  const known = underway.get(key)
  if (known) return known
  const work = begin().finally(() => underway.delete(key))
  underway.set(key, work)
  return work
}

/**
 * Sets a value in a map that is ordered by last use, and removes the least recently used values beyond the `most` latest.
 * Returns the value.
 */
export function keepRecent<Key, Value>(kept: Map<Key, Value>, key: Key, value: Value, most: number): Value {
  kept.delete(key)
  kept.set(key, value)
  if (kept.size > most) for (const oldest of kept.keys().take(kept.size - most)) kept.delete(oldest)
  return value
}
