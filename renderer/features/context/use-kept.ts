import { useCallback, useState } from 'react'
import { currentFile } from '../../routes.ts'
import { parseStored } from '../../ui/stored-json.ts'

/**
 * State that outlives a change of view, but not the window. It belongs to a conversation of a file and is not in the
 * address.
 */
export function useKept<T>(
  name: string,
  conversationId: number,
  initial: T,
  parse: (value: unknown) => T | null,
): readonly [T, (value: T) => void] {
  const key = `lcm:${name}:${conversationId}:${currentFile() ?? ''}`
  const [value, setValue] = useState(() => parse(parseStored(sessionStorage.getItem(key))) ?? initial)
  const keep = useCallback(
    (next: T) => {
      setValue(next)
      sessionStorage.setItem(key, JSON.stringify(next))
    },
    [key],
  )
  return [value, keep]
}
