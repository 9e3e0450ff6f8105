import { useCallback, useState } from 'react'

/** A value that outlives the window. What cannot be read or is of another kind is the initial value. */
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

/** The value as it stands now. */
export function readStored<T extends string | number | boolean>(key: string, initial: T): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(`lcm:${key}`) ?? 'null')
    return typeof value === typeof initial ? (value as T) : initial
  } catch {
    // Another program wrote this entry, so it is ignored.
    return initial
  }
}
