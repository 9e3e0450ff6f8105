import { useCallback, useState } from 'react'
import { currentFile } from '../../routes.ts'

/**
 * State that outlives a change of view, but not the window: it belongs to a conversation of a file and is no part of the
 * address.
 */
export function useKept<T>(
  name: string,
  conversationId: number,
  initial: T,
  parse: (value: unknown) => T | null,
): readonly [T, (value: T) => void] {
  const key = `lcm:${name}:${conversationId}:${currentFile() ?? ''}`
  const [value, setValue] = useState(() => readKept(key, parse) ?? initial)
  const keep = useCallback(
    (next: T) => {
      setValue(next)
      sessionStorage.setItem(key, JSON.stringify(next))
    },
    [key],
  )
  return [value, keep]
}

function readKept<T>(key: string, parse: (value: unknown) => T | null): T | null {
  try {
    return parse(JSON.parse(sessionStorage.getItem(key) ?? 'null'))
  } catch {
    // Another program wrote this entry, so it is ignored.
    return null
  }
}
