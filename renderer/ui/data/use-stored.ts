import { useCallback, useState } from 'react'

/** A value that outlives the window. When it cannot be parsed or has another type, it is the initial value. */
export function useStored<T extends string | number | boolean>(
  key: string,
  initial: T,
): readonly [T, (value: T) => void] {
  const [value, setValue] = useState(() => readStored(key, initial))
  const store = useCallback(
    (next: T) => {
      setValue(next)
      localStorage.setItem(`lcm:${key}`, JSON.stringify(next))
    },
    [key],
  )
  return [value, store]
}

/** Returns the stored value. */
export function readStored<T extends string | number | boolean>(key: string, initial: T): T {
  const value = parseStored(localStorage.getItem(`lcm:${key}`))
  return typeof value === typeof initial ? (value as T) : initial
}

/** Parses JSON that this page stored. A text that is missing, or that another program wrote, gives null. */
export function parseStored(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
