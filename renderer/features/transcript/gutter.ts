import type { Cover, Message } from '../../../core/contract/message.ts'

/** The piece of a summary's stripe beside one message. */
export type Stripe = {
  readonly id: string
  readonly depth: number
  readonly inWindow: boolean
  /** The stripe begins or ends at this message. */
  readonly starts: boolean
  readonly ends: boolean
  /** Other summaries of the same depth over the same message: as a rule none. */
  readonly also: readonly string[]
}

/** A message beside another; null past the end of the conversation, undefined when it is not loaded. */
export type Neighbour = Pick<Message, 'coveredBy'> | null | undefined

/** Deeper summaries share the last column. */
const MAX_COLUMNS = 8

/**
 * Stripes of a message, one a depth, as in git blame: leaf first. A stripe runs on through every message of the same
 * summary; towards a neighbour that is not loaded it is taken to run on.
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

/** Columns that a conversation needs, from its deepest summary (−1: none). */
export function gutterColumns(maxDepth: number): number {
  return Math.min(MAX_COLUMNS, Math.max(0, maxDepth + 1))
}
