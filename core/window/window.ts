import { ROLES, type Role } from '../contract/ids.ts'
import type { Pruned } from '../contract/message.ts'
import type { Messages } from '../memory/messages.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/memory-reader.ts'
import { messageNodeId } from '../systems/node-id.ts'
import { type PrunedOutput, type PrunedUntil, prunedByMessage, readPruned } from '../systems/pruned-outputs.ts'
import { conversationExists, noSuchConversation } from '../systems/records/conversations.ts'
import { knownRole, messageHeads } from '../systems/records/messages.ts'
import { toolCallIds } from '../systems/records/parts.ts'
import { summaryHeads, summaryRanges } from '../systems/records/summaries.ts'
import { type StoredEntry, windowEntries } from '../systems/records/window-entries.ts'
import { contentsOfMessages, contentsOfSummaries } from '../systems/texts.ts'
import type { Placements } from './placements.ts'
import { type Pairing, pairTools, type ToolMark } from './tool-pairs.ts'

/** One entry of the window, without its text. */
export type WindowItem = {
  /** As stored; orders the window, with gaps. */
  readonly ordinal: number
  /** `msg_<n>` or the summary's id; `item_<ordinal>` when the entry names nothing. */
  readonly id: string
  readonly kind: 'message' | 'leaf' | 'condensed' | 'missing'
  readonly messageId: number | null
  readonly summaryId: string | null
  readonly role: Role | null
  /** Of a summary. */
  readonly depth: number | null
  readonly seq: number | null
  /** What the model sees of it. */
  readonly tokens: number
  /** What its agent took out of it, which `tokens` leaves out. */
  readonly pruned?: Pruned
  readonly createdAtMs: number | null
  /** When the entry was put into the window. */
  readonly placedAtMs: number | null
}

export type Window = {
  readonly conversationId: number
  readonly items: readonly WindowItem[]
  readonly pairs: Pairing
  /** Of all items. */
  readonly tokens: number
  /** Texts that the model sees instead of those of parts, by message and ordinal of the part. */
  readonly pruned: ReadonlyMap<number, ReadonlyMap<number, string>>
  /** The last compaction was cut off before it had made all its leaves. */
  readonly isLeafPassOpen?: boolean
  /** What it was read from when that is not the file's own window. */
  readonly placed?: Placements
}

/**
 * The window of a conversation, in order, with its tool calls paired: the stored one, or what stood where `placed` says.
 * Rows that carry no token count although they have text (some systems never count) are estimated. What its agent had
 * pruned by `until` (default: now) does not count.
 * @param histories where the messages of a whole conversation are kept; null: those of the window are read alone
 * @throws LcmError not_found
 */
export function readWindow(
  db: ReadDb,
  conversationId: number,
  estimator: TokenEstimator,
  histories: Histories | null = null,
  { placed, until }: PastEntries = {},
): Window {
  if (!conversationExists(db, conversationId)) throw noSuchConversation(db, conversationId)
  const entries = placed ? placedEntries(conversationId, placed) : windowEntries(db, [conversationId])
  const messageOf = readMessages(db, entries, conversationId, histories)
  const summaries = readSummaries(db, entries, messageOf)
  const counted = entries.map((entry): WindowItem => toItem(entry, messageOf, summaries))
  const outputs = readPruned(db, conversationId, until)
  const items = withoutPruned(estimateUncounted(db, counted, estimator), outputs)
  let tokens = 0
  for (const item of items) tokens += item.tokens
  const pairs = pairTools(items.length, readMarks(db, items))
  return { conversationId, items, pairs, tokens, pruned: seenInstead(outputs), ...(placed ? { placed } : {}) }
}

/** Other entries in the place of the stored ones, and the moment at which they stood there. */
export type PastEntries = { readonly placed?: Placements | undefined; readonly until?: PrunedUntil | undefined }

const placedEntries = (conversationId: number, placed: Placements): StoredEntry[] =>
  placed.map((entry, ordinal) =>
    typeof entry === 'number'
      ? { conversationId, ordinal, messageId: entry, summaryId: null, placedAtMs: null }
      : { conversationId, ordinal, messageId: null, summaryId: entry, placedAtMs: null },
  )

type MessageOfWindow = Pick<WindowItem, 'role' | 'seq' | 'tokens' | 'createdAtMs'>
type Histories = Pick<MemoryReader, 'of' | 'known'>
/** The columns of a conversation are read quicker than rows of so many of its messages. */
const MANY_MESSAGES = 5000
/** Undefined: it is gone. */
type MessageLookUp = (id: number) => MessageOfWindow | undefined

/** The messages that entries name; from the columns of the conversation where there are any. */
function readMessages(
  db: ReadDb,
  entries: readonly StoredEntry[],
  conversationId: number,
  histories: Histories | null,
): MessageLookUp {
  const named = entries.flatMap(({ messageId }) => messageId ?? [])
  // What a summary stands for is asked next, and the columns are read for that.
  const needsColumns = named.length > MANY_MESSAGES || entries.some(({ summaryId }) => summaryId !== null)
  const history = needsColumns ? histories?.of(conversationId) : histories?.known(conversationId)
  const elsewhere = history ? named.filter((id) => history.positionOf(id) < 0) : named
  const heads = elsewhere.length === 0 ? [] : messageHeads(db, elsewhere)
  const read = new Map(
    heads.map(({ id, role, seq, tokens, createdAtMs }): [number, MessageOfWindow] => [
      id,
      { role: knownRole(role), seq, tokens: tokenCount(tokens), createdAtMs },
    ]),
  )
  return (id) => {
    const position = history?.positionOf(id) ?? -1
    return history && position >= 0 ? messageAt(history, position) : read.get(id)
  }
}

function messageAt(history: Messages, position: number): MessageOfWindow {
  const createdAtMs = history.createdAtMs[position] as number
  return {
    role: ROLES[history.roles[position] as number] ?? null,
    seq: history.seqs[position] as number,
    tokens: tokenCount(history.tokens[position] as number),
    createdAtMs: Number.isNaN(createdAtMs) ? null : createdAtMs,
  }
}

function withoutPruned(items: readonly WindowItem[], outputs: readonly PrunedOutput[]): readonly WindowItem[] {
  if (outputs.length === 0) return items
  const byMessage = prunedByMessage(outputs)
  return items.map((item) => {
    const pruned = item.messageId === null ? undefined : byMessage.get(item.messageId)
    return pruned ? { ...item, tokens: Math.max(0, item.tokens - pruned.tokens), pruned } : item
  })
}

function seenInstead(outputs: readonly PrunedOutput[]): Window['pruned'] {
  const seen = new Map<number, Map<number, string>>()
  for (const { messageId, ordinal, seen: text } of outputs) {
    seen.set(messageId, (seen.get(messageId) ?? new Map<number, string>()).set(ordinal, text ?? ''))
  }
  return seen
}

type SummaryOfWindow = Pick<WindowItem, 'id' | 'depth' | 'tokens' | 'createdAtMs'> & {
  readonly kind: 'leaf' | 'condensed'
}

/** By the entries' own ids: what another process has replaced meanwhile is still there under them. */
function readSummaries(
  db: ReadDb,
  entries: readonly StoredEntry[],
  messageOf: MessageLookUp,
): ReadonlyMap<string, SummaryOfWindow> {
  const ids = entries.flatMap(({ messageId, summaryId }) =>
    summaryId !== null && (messageId === null || !messageOf(messageId)) ? summaryId : [],
  )
  if (ids.length === 0) return new Map()
  const ranges = summaryRanges(db, ids)
  return new Map(
    summaryHeads(db, ids).map(({ id, kind, depth, tokens }) => {
      const { latestAtMs = null, earliestAtMs = null } = ranges.get(id) ?? {}
      return [
        id,
        { id, kind, depth: tokenCount(depth), tokens: tokenCount(tokens), createdAtMs: latestAtMs ?? earliestAtMs },
      ]
    }),
  )
}

function toItem(
  { ordinal, messageId, summaryId, placedAtMs }: StoredEntry,
  messageOf: MessageLookUp,
  summaries: ReadonlyMap<string, SummaryOfWindow>,
): WindowItem {
  const message = messageId === null ? undefined : messageOf(messageId)
  if (messageId !== null && message) {
    return {
      ordinal,
      id: messageNodeId(messageId),
      kind: 'message',
      messageId,
      summaryId: null,
      role: message.role,
      depth: null,
      seq: message.seq,
      tokens: message.tokens,
      createdAtMs: message.createdAtMs,
      placedAtMs,
    }
  }
  const summary = summaryId === null ? undefined : summaries.get(summaryId)
  const named = messageId === null ? (summaryId ?? `item_${ordinal}`) : messageNodeId(messageId)
  return {
    ordinal,
    id: summary?.id ?? named,
    kind: summary?.kind ?? 'missing',
    messageId: null,
    summaryId: summary?.id ?? null,
    role: null,
    depth: summary?.depth ?? null,
    seq: null,
    tokens: summary?.tokens ?? 0,
    createdAtMs: summary?.createdAtMs ?? null,
    placedAtMs,
  }
}

/** The items with an estimate where a text has no count; the list itself when all have one. */
export function estimateUncounted<Item extends Pick<WindowItem, 'messageId' | 'summaryId' | 'tokens'>>(
  db: ReadDb,
  items: readonly Item[],
  estimator: TokenEstimator,
): readonly Item[] {
  const uncounted = items.filter((item) => item.tokens === 0)
  const messages = uncounted.flatMap((item) => item.messageId ?? [])
  const summaries = uncounted.flatMap((item) => item.summaryId ?? [])
  const estimated = new Map<number | string, number>()
  const estimate = (texts: Iterable<readonly [number | string, string | null]>): void => {
    for (const [id, content] of texts) if (content) estimated.set(id, estimator.count(content))
  }
  if (messages.length > 0) estimate(contentsOfMessages(db, messages))
  if (summaries.length > 0) estimate(contentsOfSummaries(db, summaries))
  if (estimated.size === 0) return items
  return items.map((item) => {
    const tokens = item.tokens === 0 ? estimated.get(item.messageId ?? item.summaryId ?? '') : undefined
    return tokens === undefined ? item : { ...item, tokens }
  })
}

/** In the order of the window; of a message that stands in it twice, where it stands last. */
function readMarks(db: ReadDb, items: readonly WindowItem[]): ToolMark[] {
  const indexes = new Map<number, number>()
  items.forEach(({ messageId }, index) => {
    if (messageId !== null) indexes.set(messageId, index)
  })
  const callIds = toolCallIds(db, [...indexes.keys()])
  return items.flatMap(({ messageId, role }) => {
    const calls = messageId === null ? undefined : callIds.get(messageId)
    const index = messageId === null ? undefined : indexes.get(messageId)
    if (!calls || index === undefined) return []
    return calls.map((callId): ToolMark => ({ index, callId, kind: role === 'assistant' ? 'call' : 'result' }))
  })
}

/** A stored count as a whole number that is not negative, whatever a file claims. */
export function tokenCount(value: number | null): number {
  return value === null || !Number.isFinite(value)
    ? 0
    : Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(value)))
}
