import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ROLES } from '#core/contract/lists.ts'
import type { Strata, StrataMessages } from '#core/contract/strata.ts'
import { api } from '#renderer/api.ts'
import { type RangeEnds, useMessageRange, useRangeEnds } from '#renderer/ui/data/message-range.ts'
import type { MessageRange } from '#renderer/ui/data/range-address.ts'
import { messageNumber } from '#renderer/ui/nodes/message-number.ts'
import type { Buckets } from './buckets.ts'
import type { PlacedFinding } from './place-nodes.ts'
import { figuresOf, type RangeFigures } from './range-figures.ts'
import { rangeOfMessage } from './selected-range.ts'
import type { Viewport } from './viewport.ts'

/** A range on the axis that is shown, with what is in it. */
export type ShownRange = Viewport & { readonly figures: RangeFigures }

type Input = {
  readonly strata: Strata
  /** The range that is being dragged, null for the marked one, undefined for a drawing without ranges. */
  readonly draft: Viewport | null | undefined
  readonly detail: Buckets | null
  readonly overview: Buckets | null
  readonly findings: readonly PlacedFinding[]
}

/** Returns the range that is dragged or marked, with its figures: at once from the drawing, then exact ones. */
export function useRange({ strata, draft, detail, overview, findings }: Input): ShownRange | null {
  const [addressed] = useMessageRange()
  const marked = draft === undefined ? null : addressed
  const ends = useRangeEnds(strata.conversationId, marked)
  const exact = useExactFigures(strata.conversationId, marked, ends)
  return useMemo(() => {
    const shown = draft ?? (marked && rangeOnAxis(marked, ends, strata, detail ?? overview))
    if (shown === null) return null
    const figures = figuresOf(shown, { summaries: strata.summaries, findings, detail, overview })
    return { ...shown, figures: draft === null && exact !== null ? { ...figures, ...exact } : figures }
  }, [strata, draft, marked, ends, exact, detail, overview, findings])
}

/** More messages than this are not counted by role. */
const MOST_BY_ROLE = 1024

type ExactFigures = Pick<RangeFigures, 'messages' | 'tokens' | 'details' | 'roles'>

function useExactFigures(
  conversationId: number,
  range: MessageRange | null,
  ends: RangeEnds | null,
): ExactFigures | null {
  const { data: columns } = useQuery(
    api.strata.messages.queryOptions({
      input:
        range === null
          ? skipToken
          : { conversationId, axis: 'messages', x0: range.first, x1: range.last + 1, buckets: MOST_BY_ROLE },
    }),
  )
  const first = ends && messageNumber(ends.first.id)
  const { data: survival } = useQuery(
    api.trace.survivalColumns.queryOptions({
      input:
        range === null || first === null
          ? skipToken
          : { conversationId, firstMessages: [first], counts: [range.last - range.first + 1] },
      retry: false,
    }),
  )
  return useMemo(() => {
    if (columns === undefined) return null
    const [all, kept] = [survival?.details[0], survival?.kept[0]]
    return {
      messages: sum(columns.count),
      tokens: sum(columns.tokens),
      roles: columns.count.every((count) => count === 1) ? rolesOf(columns) : null,
      details: all === undefined || kept === undefined ? null : { all, kept },
    }
  }, [columns, survival])
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const rolesOf = ({ role }: StrataMessages): NonNullable<RangeFigures['roles']> =>
  ROLES.map((name, index) => ({ role: name, count: role.filter((each) => each === index).length })).filter(
    ({ count }) => count > 0,
  )

/** Returns where marked messages stand on the axis: exactly among messages, otherwise as exact as the columns. */
function rangeOnAxis(
  { first, last }: MessageRange,
  ends: RangeEnds | null,
  { axis, extent }: Strata,
  buckets: Buckets | null,
): Viewport | null {
  if (axis === 'messages') return first < extent ? { x0: first, x1: Math.min(last + 1, extent) } : null
  const [from, to] = [ends?.first, ends?.last].map((message) => {
    const number = message ? messageNumber(message.id) : null
    return number === null || buckets === null ? null : rangeOfMessage(buckets, number)
  })
  return from && to ? { x0: from.x0, x1: to.x1 } : null
}

/** Returns the messages of a dragged range, or null when there is none in it. */
export async function messagesOfRange(
  queries: QueryClient,
  { conversationId, axis }: Strata,
  { x0, x1 }: Viewport,
): Promise<MessageRange | null> {
  if (axis === 'messages') return x1 > x0 ? { first: x0, last: x1 - 1 } : null
  const input = { conversationId, axis, x0, x1, buckets: 1 }
  const { firstMessage, count } = await queries.fetchQuery(api.strata.messages.queryOptions({ input }))
  if (firstMessage[0] === undefined) return null
  const id = `msg_${firstMessage[0]}`
  const { position } = await queries.fetchQuery(api.transcript.locate.queryOptions({ input: { id } }))
  return { first: position, last: position + (count[0] ?? 1) - 1 }
}
