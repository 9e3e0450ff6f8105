// Why it is so: docs/decisions/0031-history-stored-twice.md

import { ROLES } from '#core/contract/lists.ts'
import type { Messages } from '#core/memory/messages.ts'

/** A message that was stored again. Positions, both in one conversation. */
export type Repetition = {
  readonly copy: number
  readonly original: number
  /** What shows that the message was stored twice, and not said twice. */
  readonly why: 'calls' | 'times' | 'block'
}

export type Compared = {
  readonly messages: Pick<Messages, 'ranges' | 'roles' | 'createdAtMs'>
  /** Role and text of each message as one number: equal for equal messages, NaN for a message that was not read. */
  readonly prints: Float64Array
  /** 1 for a message without text. */
  readonly isBlank: Uint8Array
  /** Call ids that are named by several messages with the same role, by position. */
  readonly calls: ReadonlyMap<number, readonly string[]>
  /** Whether results name their calls, so that results of two calls can be told apart. */
  readonly hasCallIds: boolean
  /** Whether each message has the time at which it was stored, and not that of its conversation. */
  readonly hasOwnTimes: boolean
}

/** The shortest block that is compared. */
const SHORTEST_BLOCK = 3
/** A block that is written faster than this, and than before, was not said a second time: people and models take longer. */
const BURST_MS_EACH = 2_000
/** A repetition of at least this many messages, most of them different ones, is no habit. */
const LONG_BLOCK = 12
const LONG_BLOCK_TEXTS = 8

const USER = ROLES.indexOf('user')
const ASSISTANT = ROLES.indexOf('assistant')
const TOOL = ROLES.indexOf('tool')

/**
 * Finds messages that were stored again at any distance. People say the same again and agents run the same command
 * again, so an equal text alone shows nothing. What does: the id of a call that is made again with the same text, an
 * equal time behind messages that are later, and a block of different messages that comes again in the same order
 * faster than it can have been said. Takes time and memory in proportion to the number of messages.
 * @yields null between pieces of work
 */
export function* findRepetitions(compared: Compared): Generator<null, readonly Repetition[]> {
  const found: Repetition[] = []
  for (const { from, to } of compared.messages.ranges) {
    yield null
    found.push(...(yield* repetitionsIn(compared, from, to)))
  }
  return found
}

function* repetitionsIn(compared: Compared, from: number, to: number): Generator<null, Repetition[]> {
  const repeated = repeatedPrints(compared.prints.subarray(from, to))
  if (repeated.size === 0) return []
  yield null
  const found = new Map<number, Repetition>()
  const add = (copy: number, original: number, why: Repetition['why']): void => {
    if (!found.has(copy)) found.set(copy, { copy, original, why })
  }
  yield* byCalls(compared, from, to, add)
  yield* byTimes(compared, from, to, repeated, add)
  yield* byBlocks(compared, from, to, repeated, new Set(found.keys()), add)
  return [...found.values()].sort((a, b) => a.copy - b.copy)
}

type Add = (copy: number, original: number, why: Repetition['why']) => void

/** Most messages are like no other. Sorted numbers tell which ones are, without an entry for each of them. */
function repeatedPrints(prints: Float64Array): ReadonlySet<number> {
  const sorted = prints.toSorted()
  const repeated = new Set<number>()
  for (let at = 1; at < sorted.length; at += 1) {
    if (sorted[at] === sorted[at - 1]) repeated.add(sorted[at] as number)
  }
  return repeated
}

/** Messages that name the same call and say the same. */
function* byCalls({ messages, calls, prints }: Compared, from: number, to: number, add: Add): Generator<null> {
  const first = new Map<string, number>()
  const pairs: [copy: number, original: number][] = []
  let others = 0
  for (const [position, callIds] of calls) {
    if (position < from || position >= to) continue
    const key = JSON.stringify([messages.roles[position], ...callIds])
    const original = first.get(key)
    if (original === undefined) first.set(key, position)
    else if (prints[original] === prints[position]) pairs.push([position, original])
    else others += 1
  }
  yield null
  // Where ids come again with another text, the agent numbers its calls anew, and an equal id shows nothing.
  if (others >= pairs.length) return
  for (const [copy, original] of pairs) add(copy, original, 'calls')
}

/** Messages with the text and time of an earlier one: next to it, or behind messages of another time. */
function* byTimes(
  { messages, prints, isBlank, hasOwnTimes }: Compared,
  from: number,
  to: number,
  repeated: ReadonlySet<number>,
  add: Add,
): Generator<null> {
  const { createdAtMs, roles } = messages
  const first = new Map<string, number>()
  let sameTimeSince = from
  for (let position = from; position < to; position += 1) {
    if (position % 4096 === 0) yield null
    if (createdAtMs[position] !== createdAtMs[position - 1]) sameTimeSince = position
    const print = prints[position] as number
    const isSpoken = roles[position] === USER || roles[position] === ASSISTANT
    if (!isSpoken || isBlank[position] === 1 || !repeated.has(print) || Number.isNaN(createdAtMs[position])) continue
    const key = `${print} ${createdAtMs[position]}`
    const original = first.get(key)
    if (original === undefined) first.set(key, position)
    else if (original < sameTimeSince || (hasOwnTimes && original === position - 1)) add(position, original, 'times')
  }
}

/** Blocks of messages that come again in the same order. */
function* byBlocks(
  compared: Compared,
  from: number,
  to: number,
  repeated: ReadonlySet<number>,
  shown: ReadonlySet<number>,
  add: Add,
): Generator<null> {
  const { prints } = compared
  const begins = new Map<string, number>()
  for (let position = from; position < to; ) {
    if (position % 1024 === 0) yield null
    const key = openingOf(prints, position, to, repeated)
    const original = key === null ? undefined : begins.get(key)
    if (key === null || original === undefined) {
      if (key !== null) begins.set(key, position)
      position += 1
      continue
    }
    const length = lengthOf(compared, position, original, to)
    if (isStoredAgain(compared, position, original, length, shown)) {
      for (let at = 0; at < length; at += 1) add(position + at, original + at, 'block')
    }
    position += Math.max(1, length - SHORTEST_BLOCK + 1)
  }
}

/** The first messages of a block that may come again: different ones, each of which does. */
function openingOf(prints: Float64Array, at: number, to: number, repeated: ReadonlySet<number>): string | null {
  if (at + SHORTEST_BLOCK > to) return null
  const opening = prints.subarray(at, at + SHORTEST_BLOCK)
  return opening.every((print) => repeated.has(print)) && new Set(opening).size === SHORTEST_BLOCK
    ? opening.join(' ')
    : null
}

/** How far a block repeats another, which it may touch and not overlap. */
function lengthOf(compared: Compared, copy: number, original: number, to: number): number {
  const most = Math.min(to - copy, copy - original)
  let length = 0
  while (length < most && isSame(compared, copy + length, original + length)) length += 1
  return length
}

function isSame({ messages, prints, isBlank, calls, hasCallIds }: Compared, one: number, other: number): boolean {
  if (prints[one] !== prints[other]) return false
  const ofOne = calls.get(one)
  if (ofOne !== undefined && calls.get(other)?.some((id) => ofOne.includes(id))) return true
  // Without a call in common a result is that of another call, and a message without text made another one.
  return isBlank[one] === 0 && !(hasCallIds && messages.roles[one] === TOOL)
}

function isStoredAgain(
  { messages, prints }: Compared,
  copy: number,
  original: number,
  length: number,
  shown: ReadonlySet<number>,
): boolean {
  if (length < SHORTEST_BLOCK) return false
  const texts = new Set(prints.subarray(copy, copy + length))
  const asked = new Set<number>()
  let answers = 0
  for (let at = copy; at < copy + length; at += 1) {
    if (shown.has(at)) return true
    if (messages.roles[at] === USER) asked.add(prints[at] as number)
    if (messages.roles[at] === ASSISTANT) answers += 1
  }
  // A host hands the same notices to its agent again, such as a list of tools after a compaction: nobody answered them.
  if (texts.size < SHORTEST_BLOCK || asked.size < 2 || answers === 0) return false
  if (length >= LONG_BLOCK && texts.size >= LONG_BLOCK_TEXTS) return true
  const { createdAtMs } = messages
  const tookMs = (from: number): number => (createdAtMs[from + length - 1] as number) - (createdAtMs[from] as number)
  // A history that was read at once has one time, and shows nothing by it.
  const isLater = (createdAtMs[copy] as number) > (createdAtMs[original + length - 1] as number)
  return isLater && tookMs(copy) <= BURST_MS_EACH * (length - 1) && tookMs(copy) <= tookMs(original) / 2
}
