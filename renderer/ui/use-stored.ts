import { useCallback, useState } from 'react'
import { parseStored } from './stored-json.ts'

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
  const value = parseStored(localStorage.getItem(`lcm:${key}`))
  return typeof value === typeof initial ? (value as T) : initial
}
