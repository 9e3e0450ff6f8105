import { ROLES } from '../contract/ids.ts'
import type { Pruned } from '../contract/message.ts'
import type { Memory } from '../memory/memory.ts'
import { OTHER_ROLE } from '../memory/messages.ts'
import { WindowEntries } from '../memory/window-entries.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { messageNodeId } from '../systems/reading/node-id.ts'
import {
  type PrunedOutput,
  type PrunedUntil,
  prunedByMessage,
  REMOVED,
  readPruned,
  unsentMessages,
} from '../systems/reading/pruned-outputs.ts'
import { contentsOfMessages, contentsOfSummaries } from '../systems/reading/texts.ts'
import { knownRole, messageHeads } from '../systems/records/messages.ts'
import { messagesByCall, toolCalls } from '../systems/records/parts.ts'
import { isLeafPassOpen } from '../systems/records/runs.ts'
import { summaryHeads, summaryRanges } from '../systems/records/summaries.ts'
import { withoutYielding } from '../yielding.ts'
import type { Placements } from './placements.ts'
import { type CallUses, callUses, pairTools } from './tool-pairs.ts'
import {
  MESSAGE,
  MISSING,
  messageItem,
  missingItem,
  newColumns,
  type SeenInstead,
  SUMMARY,
  summaryItem,
  tokenCount,
  UNSENT,
  Window,
  type WindowColumns,
  type WindowItem,
} from './window.ts'

/** Entries that replace the stored ones, and the moment at which they were in the window. */
export type PastEntries = {
  readonly placed?: Placements | undefined
  readonly until?: PrunedUntil | undefined
  /** What was pruned of entries that belong to another conversation. */
  readonly prunedElsewhere?: readonly PrunedOutput[] | undefined
}

/** The number of messages after which the work yields, some milliseconds of each kind of reading. */
const AT_ONCE = 4000

/**
 * Returns the window of a conversation whose memory was read: the stored one, or the entries in `placed`. Rows with
 * text and without a token count get an estimate (some systems never count). What the agent had pruned by `until` (by
 * default, until now) does not count. Call it inside the snapshot of the memory.
 */
export const readWindow = (db: ReadDb, memory: Memory, estimator: TokenEstimator, past: PastEntries = {}): Window =>
  withoutYielding(readingWindow(db, memory, estimator, past))

/** Does the same in pieces of some milliseconds. */
export function* readingWindow(
  db: ReadDb,
  memory: Memory,
  estimator: TokenEstimator,
  { placed, until, prunedElsewhere = [] }: PastEntries = {},
): Generator<void, Window> {
  const { conversationId } = memory.messages
  const entries = placed ? entriesOf(memory, placed) : memory.window
  const others = readOthers(db, entries)
  const columns = columnsOfEntries(memory, entries, others)
  yield
  const messages = new MessagesOfWindow(memory, entries, others)
  yield* estimating(db, columns, messages, estimator)
  const outputs = [...prunedElsewhere, ...readPruned(db, conversationId, until)]
  const pruned = takeOutPruned(columns, messages, outputs)
  const uses = yield* readingCalls(db, columns, messages)
  return new Window({
    memory,
    entries,
    others,
    columns,
    pruned,
    saidAtMs: readTimes(db, memory, entries),
    pairs: pairTools(columns.length, uses, (index) => columns.roles[index] === ASSISTANT),
    prunedTexts: textsInstead(outputs),
    isLeafPassOpen: isLeafPassOpen(db, conversationId),
  })
}

/** Returns a window of the past in the form of a stored one. */
function entriesOf({ messages, summaries }: Memory, placed: Placements): WindowEntries {
  const entries = new WindowEntries(messages.length, summaries.length, placed.length)
  const { conversationId } = messages
  placed.forEach((named, ordinal) => {
    if (typeof named === 'number') entries.addMessage(conversationId, ordinal, named, messages.positionOf(named))
    else {
      const entry = { ordinal, placedAtMs: null, messageId: null, summaryId: named }
      entries.add(conversationId, entry, true, summaries.nodeOf(named))
    }
  })
  return entries
}

/**
 * Reads entries that the memory of the conversation does not hold, or that name two things; then an existing message
 * takes precedence over a summary. In a damaged file a window may contain items of another conversation.
 */
function readOthers(db: ReadDb, entries: WindowEntries): ReadonlyMap<number, WindowItem> {
  const stored = [...entries.stored]
  if (stored.length === 0) return new Map()
  const messageIds = stored.flatMap(([, { messageId }]) => messageId ?? [])
  const summaryIds = stored.flatMap(([, { summaryId }]) => summaryId ?? [])
  const messages = new Map(messageHeads(db, messageIds).map((head) => [head.id, head]))
  const summaries = new Map(summaryHeads(db, summaryIds).map((head) => [head.id, head]))
  const ranges = summaryRanges(db, summaryIds)
  return new Map(
    stored.map(([index, { ordinal, messageId, summaryId }]): [number, WindowItem] => {
      const message = messages.get(messageId ?? Number.NaN)
      if (message) {
        const role = knownRole(message.role)
        return [
          index,
          messageItem({ ...message, ordinal, messageId: message.id, role, tokens: tokenCount(message.tokens) }),
        ]
      }
      const summary = summaries.get(summaryId ?? '')
      if (!summary) {
        const named = messageId === null ? (summaryId ?? `item_${ordinal}`) : messageNodeId(messageId)
        return [index, missingItem(ordinal, named)]
      }
      const { latestAtMs = null, earliestAtMs = null } = ranges.get(summary.id) ?? {}
      const [depth, tokens] = [tokenCount(summary.depth), tokenCount(summary.tokens)]
      return [index, summaryItem({ ...summary, ordinal, depth, tokens, saidAtMs: latestAtMs ?? earliestAtMs })]
    }),
  )
}

function columnsOfEntries(
  { messages, summaries }: Memory,
  entries: WindowEntries,
  others: ReadonlyMap<number, WindowItem>,
): WindowColumns {
  const columns = newColumns(entries.length)
  const { kinds, roles, tokens, wholeTokens } = columns
  for (let index = 0; index < entries.length; index += 1) {
    const target = entries.targets[index] as number
    if (entries.isSummary[index] === 1) {
      kinds[index] = SUMMARY
      roles[index] = OTHER_ROLE
      tokens[index] = target < 0 ? 0 : tokenCount(summaries.at(target).tokens)
    } else {
      kinds[index] = MESSAGE
      roles[index] = target < 0 ? OTHER_ROLE : (messages.roles[target] as number)
      tokens[index] = target < 0 ? 0 : tokenCount(messages.tokens[target] as number)
    }
  }
  for (const [index, item] of others) {
    kinds[index] = item.kind === 'message' ? MESSAGE : item.kind === 'missing' ? MISSING : SUMMARY
    roles[index] = item.role === null ? OTHER_ROLE : ROLES.indexOf(item.role)
    tokens[index] = item.tokens
  }
  wholeTokens.set(tokens)
  return columns
}

/** The positions of messages in a window. */
class MessagesOfWindow {
  readonly #memory: Memory
  readonly #entries: WindowEntries
  readonly #others: ReadonlyMap<number, WindowItem>
  /** By position: the last index of the message in the window, or −1. */
  readonly #indexes: Int32Array
  readonly #otherIndexes = new Map<number, number>()

  constructor(memory: Memory, entries: WindowEntries, others: ReadonlyMap<number, WindowItem>) {
    this.#memory = memory
    this.#entries = entries
    this.#others = others
    this.#indexes = new Int32Array(memory.messages.length).fill(-1)
    for (let index = 0; index < entries.length; index += 1) {
      const position = entries.positionAt(index)
      if (position >= 0 && !others.has(index)) this.#indexes[position] = index
    }
    for (const [index, { messageId }] of others) if (messageId !== null) this.#otherIndexes.set(messageId, index)
  }

  /** Returns the last index of a message in the window, or −1. */
  indexOf(messageId: number): number {
    const index = this.#otherIndexes.get(messageId)
    if (index !== undefined) return index
    const position = this.#memory.messages.positionOf(messageId)
    return position < 0 ? -1 : (this.#indexes[position] as number)
  }

  /** Returns the number of the message at an index, or null when there is none. */
  idAt(index: number): number | null {
    const other = this.#others.get(index)
    if (other) return other.messageId
    const position = this.#entries.positionAt(index)
    return position < 0 ? null : (this.#memory.messages.ids[position] as number)
  }

  summaryIdAt(index: number): string | null {
    const other = this.#others.get(index)
    if (other) return other.summaryId
    const node = this.#entries.nodeAt(index)
    return node < 0 ? null : this.#memory.summaries.at(node).id
  }
}

/** Sets an estimate for each text without a count. */
function* estimating(
  db: ReadDb,
  { tokens, wholeTokens, length }: WindowColumns,
  messages: MessagesOfWindow,
  estimator: TokenEstimator,
): Generator<void> {
  const uncounted: number[] = []
  for (let index = 0; index < length; index += 1) if (tokens[index] === 0) uncounted.push(index)
  for (let from = 0; from < uncounted.length; from += AT_ONCE) {
    const some = uncounted.slice(from, from + AT_ONCE)
    const messageIds = some.flatMap((index) => messages.idAt(index) ?? [])
    const summaryIds = some.flatMap((index) => messages.summaryIdAt(index) ?? [])
    const estimates = estimatesOf(db, messageIds, summaryIds, estimator)
    for (const index of some) {
      const estimate = estimates.get(messages.idAt(index) ?? messages.summaryIdAt(index) ?? '') ?? 0
      tokens[index] = estimate
      wholeTokens[index] = estimate
    }
    yield
  }
}

/** Returns the estimated tokens of messages and summaries, by number and id. Those without text are absent. */
export function estimatesOf(
  db: ReadDb,
  messageIds: readonly number[],
  summaryIds: readonly string[],
  estimator: TokenEstimator,
): ReadonlyMap<number | string, number> {
  const estimates = new Map<number | string, number>()
  const estimate = (texts: Iterable<readonly [number | string, string | null]>): void => {
    for (const [id, content] of texts) if (content) estimates.set(id, estimator.count(content))
  }
  if (messageIds.length > 0) estimate(contentsOfMessages(db, messageIds))
  if (summaryIds.length > 0) estimate(contentsOfSummaries(db, summaryIds))
  return estimates
}

/** Subtracts what agents pruned from the tokens that the model sees. Returns what was pruned of each entry. */
function takeOutPruned(
  { length, kinds, tokens, wholeTokens }: WindowColumns,
  messages: MessagesOfWindow,
  outputs: readonly PrunedOutput[],
): ReadonlyMap<number, Pruned> {
  const pruned = new Map<number, Pruned>()
  if (outputs.length === 0) return pruned
  const byMessage = prunedByMessage(outputs)
  const unsent = unsentMessages(outputs)
  for (let index = 0; index < length; index += 1) {
    const messageId = messages.idAt(index) ?? Number.NaN
    const taken = byMessage.get(messageId)
    if (!taken) continue
    pruned.set(index, taken)
    if (unsent.has(messageId)) {
      kinds[index] = UNSENT
      tokens[index] = 0
      continue
    }
    const left = Math.max(0, (tokens[index] as number) - taken.tokens)
    tokens[index] = left
    wholeTokens[index] = left + taken.tokens
  }
  return pruned
}

function textsInstead(outputs: readonly PrunedOutput[]): Window['prunedTexts'] {
  const seen = new Map<number, Map<number, SeenInstead>>()
  for (const { messageId, ordinal, seen: text, by } of outputs) {
    const ofMessage = seen.get(messageId) ?? new Map<number, SeenInstead>()
    seen.set(messageId, ofMessage.set(ordinal, by === REMOVED ? { rest: text } : { text: text ?? '' }))
  }
  return seen
}

/**
 * Finds entries that make or answer the same tool calls. A message that is in the window twice counts at its last
 * index.
 */
function* readingCalls(
  db: ReadDb,
  { length, kinds }: WindowColumns,
  messages: MessagesOfWindow,
): Generator<void, CallUses> {
  const all = messagesByCall(db, length)
  if (all) {
    // A callback of `from` would take twice as long for as many.
    const indexes = new Int32Array(all.messageIds.length)
    for (let place = 0; place < indexes.length; place += 1) {
      const index = messages.indexOf(all.messageIds[place] as number)
      indexes[place] = kinds[index] === UNSENT ? -1 : index
    }
    return { indexes, counts: all.counts }
  }
  const uses = new Map<string, number[]>()
  for (let from = 0; from < length; from += AT_ONCE) {
    const ids: number[] = []
    for (let index = from; index < Math.min(length, from + AT_ONCE); index += 1) {
      const id = kinds[index] === MESSAGE ? messages.idAt(index) : null
      if (id !== null && messages.indexOf(id) === index) ids.push(id)
    }
    for (const { messageId, callId } of toolCalls(db, ids)) {
      const index = messages.indexOf(messageId)
      if (index < from || index >= from + AT_ONCE) continue
      const known = uses.get(callId)
      if (known) known.push(index)
      else uses.set(callId, [index])
    }
    yield
  }
  return callUses(uses.values())
}

const ASSISTANT = ROLES.indexOf('assistant')

/** Returns the times of the newest messages that the window's summaries cover, by node. */
function readTimes(db: ReadDb, { summaries }: Memory, entries: WindowEntries): ReadonlyMap<number, number> {
  const ids: string[] = []
  for (let index = 0; index < entries.length; index += 1) {
    const node = entries.nodeAt(index)
    if (node >= 0) ids.push(summaries.at(node).id)
  }
  const times = new Map<number, number>()
  if (ids.length === 0) return times
  for (const [id, { latestAtMs, earliestAtMs }] of summaryRanges(db, ids)) {
    const atMs = latestAtMs ?? earliestAtMs
    if (atMs !== null) times.set(summaries.nodeOf(id), atMs)
  }
  return times
}
