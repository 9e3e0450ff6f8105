import { z } from 'zod'
import { ROLES, type Role, type SummaryKind } from '../contract/ids.ts'
import type { ExpandInput, Expansion } from '../contract/retrieval.ts'
import { badCursor, decodeCursor, encodeCursor } from '../cursor.ts'
import { LcmError } from '../errors.ts'
import type { Memory } from '../memory/memory.ts'
import type { Messages } from '../memory/messages.ts'
import { type PositionRanges, positionCount, unionOfRanges } from '../memory/position-ranges.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { findNode, messageNodeId, messageNumber } from '../systems/reading/node-id.ts'
import { contentsOfMessages, contentsOfSummaries, sizesOfMessages, sizesOfSummaries } from '../systems/reading/texts.ts'
import { knownRole, messageHeads } from '../systems/records/messages.ts'

/** A page looks at no more items than this, so that a memory full of tiny items cannot make one answer endless. */
const MAX_ITEMS = 1000

const Cursor = z.object({
  expand: z.string(),
  depth: z.int(),
  messages: z.boolean(),
  /** How many items were given or skipped so far, and which was the last. */
  at: z.int().min(1),
  last: z.string(),
})

type SummaryRow = {
  readonly id: string
  readonly kind: SummaryKind
  readonly depth: number
  readonly tokens: number
}
type MessageRow = {
  readonly id: string
  readonly messageId: number
  readonly seq: number
  readonly role: Role
  readonly tokens: number
  readonly createdAtMs: number | null
}
/** A row with the tokens that it costs according to its file. */
type Row = (SummaryRow | MessageRow) & { readonly cost: number }

/** Counts the tokens that a text costs a model. */
type CountTokens = (text: string) => number

/** Limits for readers that do not own the memory. */
export type ExpandLimits = {
  /** Counts every text again, so that a file that states too few tokens cannot exceed the cap either. */
  readonly countOf?: CountTokens
  /** Only items that it allows are given, whatever a damaged file links. */
  readonly allows?: (id: string) => boolean
}

/**
 * Expands a summary to its sources: the summaries below it, breadth first, and then, if asked for, the messages of
 * those levels, each once, in the order of the conversation. The sum of tokens never exceeds the cap. Where the file
 * states no tokens for an item, a quarter of its bytes is counted.
 * @throws LcmError not_found; invalid_argument when the id is no summary or the cursor does not fit
 */
export function expandSummary(
  db: ReadDb,
  reader: MemoryReader,
  input: ExpandInput,
  { countOf, allows }: ExpandLimits = {},
): Expansion {
  return readSnapshot(db, () => {
    const node = findNode(db, input.summaryId)
    if (node.kind !== 'summary') {
      throw new LcmError(
        'invalid_argument',
        `${input.summaryId} is a ${node.kind}: only summaries can be expanded. Describe it instead.`,
        {
          id: input.summaryId,
        },
      )
    }
    const memory = reader.memory(node.conversationId)
    const items = allowed(itemsBelow(memory, input), allows)
    return page(db, memory, items, startOf(items, input), input, countOf)
  })
}

/** The items of an expansion in order. Messages stay ranges, so that a conversation of any length takes no room. */
type Items = { readonly length: number; idAt(index: number): string }

/** Looks at every item when not all are allowed. */
function allowed(items: Items, allows: ExpandLimits['allows']): Items {
  if (!allows) return items
  const ids = Array.from({ length: items.length }, (_, index) => items.idAt(index)).filter(allows)
  return { length: ids.length, idAt: (index) => ids[index] ?? '' }
}

function itemsBelow(memory: Memory, input: ExpandInput): Items {
  const { messages, summaries, links } = memory
  const start = summaries.nodeOf(input.summaryId)
  const seen = new Set([start])
  const below: string[] = []
  const walked: number[] = []
  let level = [start]
  for (let depth = 1; depth <= input.depth && level.length > 0; depth += 1) {
    walked.push(...level)
    level = level.flatMap((node) =>
      (links.sources[node] ?? []).filter((source) => !seen.has(source) && seen.add(source)),
    )
    for (const node of level) below.push(summaries.at(node).id)
  }
  if (!input.includeMessages) return { length: below.length, idAt: (index) => below[index] ?? '' }
  const ranges = unionOfRanges(walked.map((node) => links.rangesOf(node)))
  const elsewhere = links.messagesElsewhere(walked).map(({ messageId }) => messageId)
  return concatenated(below, messages, ranges, elsewhere)
}

function concatenated(
  summaries: readonly string[],
  messages: Messages,
  ranges: PositionRanges,
  elsewhere: readonly number[],
): Items {
  const inConversation = positionCount(ranges)
  const positionAt = (index: number): number => {
    let left = index
    for (let i = 0; i < ranges.length; i += 2) {
      const length = (ranges[i + 1] as number) - (ranges[i] as number)
      if (left < length) return (ranges[i] as number) + left
      left -= length
    }
    return -1
  }
  return {
    length: summaries.length + inConversation + elsewhere.length,
    idAt: (index) => {
      if (index < summaries.length) return summaries[index] ?? ''
      const place = index - summaries.length
      const number = place < inConversation ? messages.ids[positionAt(place)] : elsewhere[place - inConversation]
      return messageNodeId(number ?? 0)
    },
  }
}

function startOf(items: Items, input: ExpandInput): number {
  if (input.cursor === undefined) return 0
  const cursor = decodeCursor(input.cursor, Cursor)
  const isSame =
    cursor.expand === input.summaryId && cursor.depth === input.depth && cursor.messages === input.includeMessages
  if (!isSame) throw badCursor('it belongs to another expansion')
  if (cursor.at > items.length || items.idAt(cursor.at - 1) !== cursor.last) throw badCursor('the memory has changed')
  return cursor.at
}

function page(
  db: ReadDb,
  memory: Memory,
  items: Items,
  start: number,
  input: ExpandInput,
  countOf: CountTokens | undefined,
): Expansion {
  const end = Math.min(items.length, start + MAX_ITEMS)
  const ids = Array.from({ length: end - start }, (_, i) => items.idAt(start + i))
  const rows = readRows(db, memory, ids)
  const texts = readTexts(db, rows, fittingIds(ids, rows, input.tokenCap))
  const expansion: Expansion = { nodes: [], messages: [], tokens: 0, truncated: false, next: [], tooLarge: [] }
  let at = start
  for (const id of ids) {
    const row = rows.get(id)
    const content = texts.get(id)
    const cost = row ? Math.max(row.cost, content !== undefined && countOf ? countOf(content) : 0) : 0
    if (cost > input.tokenCap) {
      expansion.tooLarge.push(id)
      expansion.truncated = true
    } else if (expansion.tokens + cost > input.tokenCap || (row && content === undefined)) break
    else if (row && content !== undefined) add(expansion, row, cost, content)
    at += 1
  }
  if (at < items.length) {
    const { summaryId, depth, includeMessages } = input
    expansion.truncated = true
    // An item that does not fit into an empty page is too large for any page, so it is skipped; thus every page gives
    // or skips at least one item.
    expansion.next.push(
      encodeCursor({ expand: summaryId, depth, messages: includeMessages, at, last: items.idAt(at - 1) }),
    )
  }
  return expansion
}

/** Returns the ids that fit according to the token counts of the file, so that no other text is read. */
function fittingIds(ids: readonly string[], rows: ReadonlyMap<string, Row>, cap: number): string[] {
  const fitting: string[] = []
  let tokens = 0
  for (const id of ids) {
    const row = rows.get(id)
    if (!row || row.cost > cap) continue
    tokens += row.cost
    if (tokens > cap) break
    fitting.push(id)
  }
  return fitting
}

function readTexts(db: ReadDb, rows: ReadonlyMap<string, Row>, ids: readonly string[]): Map<string, string> {
  const wanted = ids.flatMap((id) => rows.get(id) ?? [])
  const messageIds = wanted.flatMap((row) => ('kind' in row ? [] : row.messageId))
  const summaryIds = wanted.flatMap((row) => ('kind' in row ? row.id : []))
  const texts = new Map<string, string>()
  for (const [id, content] of contentsOfSummaries(db, summaryIds)) texts.set(id, content ?? '')
  for (const [number, content] of contentsOfMessages(db, messageIds)) texts.set(messageNodeId(number), content ?? '')
  return texts
}

function add(expansion: Expansion, row: SummaryRow | MessageRow, tokens: number, content: string): void {
  expansion.tokens += tokens
  if ('kind' in row) {
    const { id, kind, depth } = row
    expansion.nodes.push({ id, kind, depth, tokens, content })
    return
  }
  const { id, seq, role, createdAtMs } = row
  expansion.messages.push({ id, seq, role, tokens, createdAtMs, content })
}

/** Reads summaries and messages by id, without their texts. */
function readRows(db: ReadDb, memory: Memory, ids: readonly string[]): Map<string, Row> {
  const { summaries, messages } = memory
  const rows: (SummaryRow | MessageRow)[] = []
  const elsewhere: number[] = []
  for (const id of ids) {
    const node = summaries.nodeOf(id)
    const number = messageNumber(id) ?? Number.NaN
    const position = node < 0 ? messages.positionOf(number) : -1
    if (node >= 0) rows.push({ id, kind: summaries.kindOf(node), ...depthAndTokens(summaries.at(node)) })
    else if (position >= 0) rows.push(messageAt(memory, position))
    else elsewhere.push(number)
  }
  for (const { id: messageId, seq, role, tokens, createdAtMs } of messageHeads(db, elsewhere)) {
    const known = knownRole(role) ?? 'system'
    rows.push({ id: messageNodeId(messageId), messageId, seq, role: known, tokens: tokens ?? 0, createdAtMs })
  }
  return new Map(withCosts(db, rows).map((row) => [row.id, row]))
}

const depthAndTokens = ({ depth, tokens }: { depth: number; tokens: number }) => ({ depth, tokens })

function messageAt(memory: Memory, position: number): MessageRow {
  const { messages } = memory
  const createdAtMs = messages.createdAtMs[position] as number
  return {
    id: memory.messageId(position),
    messageId: messages.ids[position] as number,
    seq: messages.seqs[position] as number,
    role: ROLES[messages.roleAt(position)] ?? 'system',
    tokens: messages.tokens[position] as number,
    createdAtMs: Number.isNaN(createdAtMs) ? null : createdAtMs,
  }
}

/** Counts a quarter of its bytes for a text that costs nothing according to the file. */
function withCosts(db: ReadDb, rows: readonly (SummaryRow | MessageRow)[]): Row[] {
  const uncounted = rows.filter((row) => !(row.tokens > 0))
  const messages = sizesOfMessages(
    db,
    uncounted.flatMap((row) => ('kind' in row ? [] : row.messageId)),
  )
  const summaries = sizesOfSummaries(
    db,
    uncounted.flatMap((row) => ('kind' in row ? row.id : [])),
  )
  return rows.map((row) => {
    const bytes = ('kind' in row ? summaries.get(row.id) : messages.get(row.messageId)) ?? 0
    return { ...row, cost: row.tokens > 0 ? row.tokens : Math.ceil(bytes / 4) }
  })
}
