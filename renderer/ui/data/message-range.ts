import { skipToken, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { Message } from '#core/contract/message.ts'
import { api } from '#renderer/api.ts'
import { useShown } from '#renderer/routes.ts'
import { type MessageRange, parseRange, RANGE, rangeText } from './range-address.ts'

/** The marked messages, to which the views are limited. */
export function useMessageRange(): readonly [MessageRange | null, (range: MessageRange | null) => void] {
  const [text, setText] = useShown(RANGE)
  const set = useCallback((range: MessageRange | null) => setText(range && rangeText(range)), [setText])
  return [useMemo(() => parseRange(text), [text]), set]
}

/** What is said of marked messages that the conversation does not hold, or not all of them. */
export const BEYOND_THE_END = 'This conversation ends before the marked messages do.'

/** The first and the last message of a range, without their texts. */
export type RangeEnds = { readonly first: Message; readonly last: Message }

/** Returns the ends of a range, or null until they are known, and when the conversation is shorter. */
export function useRangeEnds(conversationId: number, range: MessageRange | null): RangeEnds | null {
  return useEnds(conversationId, range).ends
}

function useEnds(conversationId: number, range: MessageRange | null) {
  const { message: first, isMissing } = useMessageAt(conversationId, range?.first ?? null)
  const { message: last, isMissing: isShorter } = useMessageAt(conversationId, range?.last ?? null)
  const ends = useMemo(() => (first && last ? { first, last } : null), [first, last])
  return { ends, areMissing: range !== null && (isMissing || isShorter) }
}

/**
 * The ends of the marked messages as a request names them, or null without a range. `isWaiting` as long as they are not
 * known, so that nothing is asked without its limit; `areMissing` when the conversation does not hold them.
 */
export function useMarkedMessages(conversationId: number | null) {
  const [range] = useMessageRange()
  const marked = conversationId === null ? null : range
  const { ends, areMissing } = useEnds(conversationId ?? 0, marked)
  const between = useMemo(() => ends && { fromMessage: ends.first.id, toMessage: ends.last.id }, [ends])
  return { between, isWaiting: marked !== null && ends === null, areMissing }
}

/** Returns the message at a position, without its texts, or null until it is known. It is missing beyond the last one. */
export function useMessageAt(conversationId: number, position: number | null) {
  const { data, isSuccess } = useQuery(
    api.transcript.page.queryOptions({
      input: position === null ? skipToken : { conversationId, offset: position, limit: 1, contentChars: 0 },
    }),
  )
  const message = data?.messages[0] ?? null
  return { message, isMissing: isSuccess && message === null }
}
