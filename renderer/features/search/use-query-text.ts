import { useEffect, useRef, useState } from 'react'
import { navigate, useRoute } from '../../routes.ts'
import { useDebounced } from '../../ui/use-debounced.ts'

const SETTLE_MS = 30

export type QueryText = {
  /** As typed. */
  readonly text: string
  readonly setText: (text: string) => void
  /** As searched for. */
  readonly query: string
}

/** The words of the search: typed here, or brought by the address. The address follows the typing. */
export function useQueryText(): QueryText {
  const { query: routed } = useRoute()
  const [text, setText] = useState(routed ?? '')
  const query = useDebounced(text, SETTLE_MS)
  const sent = useRef(routed ?? '')

  useEffect(() => {
    if (query === sent.current) return
    sent.current = query
    navigate({ query: query === '' ? null : query }, 'replace')
  }, [query])

  useEffect(() => {
    if ((routed ?? '') === sent.current) return
    sent.current = routed ?? ''
    setText(sent.current)
  }, [routed])

  return { text, setText, query }
}
