import { useQuery } from '@tanstack/react-query'
import { api } from '#renderer/api.ts'

/** Returns the rule by which the window is worked out, or null where the file stores its window. */
export function useWindowRule(): string | null {
  const { data } = useQuery(api.memory.info.queryOptions())
  return data?.capabilities.derivedWindow ?? null
}
