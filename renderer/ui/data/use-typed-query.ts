import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { navigate, type RoutePatch, useRoutePart } from '#renderer/routes.ts'

export type TypedQuery = {
  /** The text as it was typed. */
  readonly text: string
  readonly type: (text: string) => void
  /** The text of the address, which is searched for. */
  readonly query: string
}

/**
 * The words of a search: typed here, or brought by the address. The address follows when typing pauses. Another address
 * replaces what was typed, also what has not arrived in the address yet.
 * @param also what else changes in the address with the words
 */
export function useTypedQuery(settleMs: number, also?: RoutePatch): TypedQuery {
  const query = useRoutePart('query') ?? ''
  const [text, setText] = useState(query)
  const sent = useRef(query)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  // In the same task as the change of the address, so that nothing that was typed before comes after it.
  useLayoutEffect(() => {
    if (query === sent.current) return
    clearTimeout(pause.current)
    sent.current = query
    setText(query)
  }, [query])
  useEffect(() => () => clearTimeout(pause.current), [])
  const type = (next: string): void => {
    setText(next)
    clearTimeout(pause.current)
    pause.current = setTimeout(() => {
      if (next === sent.current) return
      sent.current = next
      navigate({ ...also, query: next === '' ? null : next }, 'replace')
    }, settleMs)
  }
  return { text, type, query }
}
