import type { Message } from '#core/contract/message.ts'
import { type Block, blocksOf } from './blocks.ts'

type MessageAt = (position: number) => Message | null | undefined

/** Where the other half of a call or result is that is not drawn with it. */
export type Elsewhere =
  /** In this message. */
  | { readonly kind: 'message'; readonly id: string }
  /** Not among the messages nearby. */
  | { readonly kind: 'missing' }
  /** The conversation ends before it. */
  | { readonly kind: 'pending' }

/** How the calls and results of a message are drawn. */
export type ToolPairs = {
  /** The position of the message under whose calls this one is drawn, or null when it has a row of its own. */
  readonly head: number | null
  /** The results that are drawn under the calls of this message, by the key of the call. */
  readonly results: ReadonlyMap<string, readonly Message[]>
  /** The last position that is drawn in this row. */
  readonly last: number
  /** The other half of the calls and results that are drawn alone, by their key. */
  readonly elsewhere: ReadonlyMap<string, Elsewhere>
}

/** Results further away than this are not looked for. */
export const MOST_DISTANCE = 40

const NO_RESULTS: ToolPairs['results'] = new Map()

/**
 * Finds the results of the calls of a message and the call of a result. Results that follow their call directly are
 * drawn in its row, unless other summaries cover them or a compaction ran in between: the gutter and the marks of
 * compactions have one place in each row.
 * @param isDivided whether something is drawn below the message at a position
 */
export function toolPairs(position: number, messageAt: MessageAt, isDivided: (position: number) => boolean): ToolPairs {
  const message = messageAt(position)
  const pairs = findPairs(position, messageAt, isDivided)
  if (!message) return pairs
  // A row is drawn again only when something of it has changed.
  const before = drawn.get(message)
  if (before && isSame(before, pairs)) return before
  drawn.set(message, pairs)
  return pairs
}

const drawn = new WeakMap<Message, ToolPairs>()

function isSame(a: ToolPairs, b: ToolPairs): boolean {
  return (
    a.head === b.head &&
    a.last === b.last &&
    isSameMap(a.results, b.results, (x, y) => x.length === y.length && x.every((one, index) => one === y[index])) &&
    isSameMap(a.elsewhere, b.elsewhere, (x, y) => JSON.stringify(x) === JSON.stringify(y))
  )
}

function isSameMap<T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>, isSameValue: (a: T, b: T) => boolean) {
  return (
    a.size === b.size &&
    [...a].every(([key, value]) => {
      const other = b.get(key)
      return other !== undefined && isSameValue(value, other)
    })
  )
}

function findPairs(position: number, messageAt: MessageAt, isDivided: (position: number) => boolean): ToolPairs {
  const message = messageAt(position)
  const alone: ToolPairs = { head: null, results: NO_RESULTS, last: position, elsewhere: new Map() }
  if (!message) return alone
  const { calls, results } = factsOf(message)
  if (calls.length > 0) {
    const joined = joinedResults(position, messageAt, isDivided)
    const missing = calls.filter(({ key, isAnswered }) => !isAnswered && !joined.results.has(key))
    return { ...alone, ...joined, elsewhere: partners(missing, position, 1, messageAt) }
  }
  if (results.length === 0) return alone
  for (let head = position - 1; head >= position - MOST_DISTANCE; head--) {
    const before = messageAt(head)
    if (!before || (before.role !== 'tool' && factsOf(before).calls.length === 0)) break
    if (before.role === 'tool') continue
    if (joinedResults(head, messageAt, isDivided).last >= position) return { ...alone, head }
    break
  }
  return { ...alone, elsewhere: partners(results, position, -1, messageAt) }
}

/** Returns the results directly after a message that answer its calls. */
function joinedResults(
  head: number,
  messageAt: MessageAt,
  isDivided: (position: number) => boolean,
): Pick<ToolPairs, 'results' | 'last'> {
  const message = messageAt(head)
  if (!message) return { results: NO_RESULTS, last: head }
  const { calls } = factsOf(message)
  const unnamed = calls.filter(({ toolCallId, isAnswered }) => toolCallId === null && !isAnswered)
  const results = new Map<string, Message[]>()
  let last = head
  while (last - head < MOST_DISTANCE && !isDivided(last)) {
    const next = messageAt(last + 1)
    if (next?.role !== 'tool' || !isCoveredAlike(message, next)) break
    const answered = factsOf(next).results.map(({ toolCallId }) =>
      toolCallId === null ? unnamed.shift() : calls.find((call) => call.toolCallId === toolCallId),
    )
    const call = answered.at(-1)
    if (call === undefined || answered.includes(undefined)) break
    results.set(call.key, [...(results.get(call.key) ?? []), next])
    last += 1
  }
  return { results, last }
}

/** Looks for the other halves in one direction. What is not loaded yet is neither found nor missing. */
function partners(
  halves: readonly Half[],
  position: number,
  step: 1 | -1,
  messageAt: MessageAt,
): ReadonlyMap<string, Elsewhere> {
  const found = new Map<string, Elsewhere>()
  for (const { key, toolCallId } of halves) {
    if (toolCallId === null) continue
    const partner = partnerOf(toolCallId, position, step, messageAt)
    if (partner !== null) found.set(key, partner)
  }
  return found
}

function partnerOf(id: string, position: number, step: 1 | -1, messageAt: MessageAt): Elsewhere | null {
  for (let distance = 1; distance <= MOST_DISTANCE; distance++) {
    const other = messageAt(position + step * distance)
    if (other === undefined) return null
    if (other === null) return step === 1 ? { kind: 'pending' } : { kind: 'missing' }
    const { calls, results } = factsOf(other)
    if ((step === 1 ? results : calls).some(({ toolCallId }) => toolCallId === id))
      return { kind: 'message', id: other.id }
  }
  return { kind: 'missing' }
}

type Half = { readonly key: string; readonly toolCallId: string | null }
type Facts = { readonly calls: readonly (Half & { readonly isAnswered: boolean })[]; readonly results: readonly Half[] }

/** The calls and results of messages, which are asked for again with each row nearby. */
const known = new WeakMap<Message, Facts>()

function factsOf(message: Message): Facts {
  const facts = known.get(message) ?? readFacts(blocksOf(message))
  known.set(message, facts)
  return facts
}

function readFacts(blocks: readonly Block[]): Facts {
  return {
    calls: blocks.flatMap((block) =>
      block.kind === 'tool_call'
        ? [{ key: block.key, toolCallId: block.toolCallId, isAnswered: block.output !== '' || block.error !== '' }]
        : [],
    ),
    results: blocks.flatMap((block) =>
      block.kind === 'tool_result' ? [{ key: block.key, toolCallId: block.toolCallId }] : [],
    ),
  }
}

function isCoveredAlike(a: Message, b: Message): boolean {
  return (
    a.visibility === b.visibility &&
    a.coveredBy.length === b.coveredBy.length &&
    a.coveredBy.every(({ id }) => b.coveredBy.some((cover) => cover.id === id))
  )
}
