import { skipToken, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { Message } from '../../core/contract/message.ts'
import { api } from '../api.ts'
import { useShown } from '../routes.ts'
import { type MessageRange, parseRange, RANGE, rangeText } from './range-address.ts'

/** The marked messages, to which the views are limited. */
export function useMessageRange(): readonly [MessageRange | null, (range: MessageRange | null) => void] {
  const [text, setText] = useShown(RANGE)
  const set = useCallback((range: MessageRange | null) => setText(range && rangeText(range)), [setText])
  return [useMemo(() => parseRange(text), [text]), set]
}

/** The first and the last message of a range, without their texts. */
export type RangeEnds = { readonly first: Message; readonly last: Message }

/** Returns the ends of a range, or null until they are known, and when the conversation is shorter. */
export function useRangeEnds(conversationId: number, range: MessageRange | null): RangeEnds | null {
  const first = useMessageAt(conversationId, range?.first ?? null)
  const last = useMessageAt(conversationId, range?.last ?? null)
  return useMemo(() => (first && last ? { first, last } : null), [first, last])
}

/** The ends of the marked messages as a request names them, or null without a range. `isWaiting` until they are known. */
export function useMarkedMessages(conversationId: number | null) {
  const [range] = useMessageRange()
  const marked = conversationId === null ? null : range
  const ends = useRangeEnds(conversationId ?? 0, marked)
  const between = useMemo(() => ends && { fromMessage: ends.first.id, toMessage: ends.last.id }, [ends])
  return { between, isWaiting: marked !== null && ends === null }
}

/** Returns the message at a position, without its texts, or null until it is known. */
export function useMessageAt(conversationId: number, position: number | null): Message | null {
  const { data } = useQuery(
    api.transcript.page.queryOptions({
      input: position === null ? skipToken : { conversationId, offset: position, limit: 1, contentChars: 0 },
    }),
  )
  return data?.messages[0] ?? null
}
