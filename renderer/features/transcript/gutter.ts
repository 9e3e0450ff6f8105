import type { Cover, Message } from '#core/contract/message.ts'

/** The part of a summary's stripe beside one message. */
export type Stripe = {
  readonly id: string
  readonly depth: number
  readonly inWindow: boolean
  /** True when the stripe begins or ends at this message. */
  readonly starts: boolean
  readonly ends: boolean
  /** Other summaries of the same depth over the same message. Usually there are none. */
  readonly also: readonly string[]
}

/** A neighbouring message: null past the end of the conversation, undefined when it is not loaded. */
export type Neighbour = Pick<Message, 'coveredBy'> | null | undefined

/** Deeper summaries share the last column. */
const MAX_COLUMNS = 8

/**
 * Returns the stripes of a message, one for each depth, as in git blame: leaf first. A stripe continues through every
 * message of the same summary, and is assumed to continue towards a neighbour that is not loaded.
 */
export function stripesOf(
  message: Pick<Message, 'coveredBy'>,
  before: Neighbour,
  after: Neighbour,
  columns: number,
): readonly (Stripe | null)[] {
  const stripes: (Stripe | null)[] = Array.from({ length: columns }, () => null)
  for (const cover of message.coveredBy) {
    const column = Math.min(cover.depth, columns - 1)
    if (column < 0) continue
    const other = stripes[column]
    stripes[column] = other ? { ...other, also: [...other.also, cover.id] } : stripeOf(cover, before, after)
  }
  return stripes
}

function stripeOf(cover: Cover, before: Neighbour, after: Neighbour): Stripe {
  return {
    id: cover.id,
    depth: cover.depth,
    inWindow: cover.inWindow,
    starts: !runsOn(cover, before),
    ends: !runsOn(cover, after),
    also: [],
  }
}

function runsOn(cover: Cover, neighbour: Neighbour): boolean {
  return neighbour === undefined || neighbour?.coveredBy.some(({ id }) => id === cover.id) === true
}

/** Returns the number of columns that a conversation needs, from its deepest summary (−1: none). */
export function gutterColumns(maxDepth: number): number {
  return Math.min(MAX_COLUMNS, Math.max(0, maxDepth + 1))
}
