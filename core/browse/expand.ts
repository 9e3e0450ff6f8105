import { z } from 'zod'
import { ROLES, type Role } from '../contract/ids.ts'
import type { ExpandInput, Expansion } from '../contract/retrieval.ts'
import { badCursor, decodeCursor, encodeCursor } from '../cursor.ts'
import { LcmError } from '../errors.ts'
import { NO_POSITIONS, type PositionRanges, positionCount, unionOfRanges } from '../memory/position-ranges.ts'
import type { SummaryGraph } from '../memory/summary-graph.ts'
import { shownValue } from '../sqlite/native-values.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import type { HistoryIndex } from '../systems/history-index.ts'
import { findNode, messageNodeId } from '../systems/node-id.ts'
import { strayMessages } from '../systems/stray-messages.ts'

/** Items looked at in one page, so that a memory full of tiny items cannot make one endless answer. */
const MAX_ITEMS = 1000

const queries = {
  summaries: /* sql */ `
    SELECT summary_id AS id, ${shownValue('summaries.kind', 'summaries')} AS kind, depth, token_count AS tokens, octet_length(content) AS bytes
    FROM summaries
    WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  messages: /* sql */ `
    SELECT 'msg_' || message_id AS id, seq, role, token_count AS tokens, created_at AS createdAtMs,
      octet_length(content) AS bytes
    FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  summaryTexts: /* sql */ `
    SELECT summary_id, content FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  messageTexts: /* sql */ `
    SELECT 'msg_' || message_id, content FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
}

const Cursor = z.object({
  expand: z.string(),
  depth: z.int(),
  messages: z.boolean(),
  /** Items given or skipped so far, and the last of them. */
  at: z.int().min(1),
  last: z.string(),
})

type Row = { readonly id: string; readonly tokens: number; readonly bytes: number }
type SummaryRow = Row & { readonly kind: 'leaf' | 'condensed'; readonly depth: number }
type MessageRow = Row & { readonly seq: number; readonly role: Role; readonly createdAtMs: number | null }

/** Counts what a text costs a model. */
type CountTokens = (text: string) => number

/** What holds for readers that are not the owner of the memory. */
export type ExpandLimits = {
  /** Counts every text again, so that a file that says too little of its tokens cannot pass the cap either. */
  readonly countOf?: CountTokens
  /** Nothing of another conversation is given, whatever a damaged file links; null: everything is. */
  readonly conversationIds?: readonly number[] | null
}

/**
 * A summary back to its sources: the summaries below it breadth-first, then, if asked for, the messages of those
 * levels in the order of the conversation, each once. The sum of tokens never passes the cap; where an item of the
 * file claims to have none, a quarter of its bytes is counted.
 * @throws LcmError not_found; invalid_argument when the id is no summary or the cursor does not fit
 */
export function expandSummary(
  db: ReadDb,
  histories: HistoryIndex,
  input: ExpandInput,
  { countOf, conversationIds = null }: ExpandLimits = {},
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
    const items = itemsBelow(db, histories.graph(node.conversationId), input, conversationIds)
    const start = startOf(items, input)
    return page(db, items, start, input, countOf)
  })
}

/** What an expansion consists of, in order; the messages stay ranges, so that a whole history costs nothing. */
type Items = { readonly length: number; idAt(index: number): string }

function itemsBelow(
  db: ReadDb,
  graph: SummaryGraph,
  input: ExpandInput,
  conversationIds: readonly number[] | null,
): Items {
  const start = graph.indexOf(input.summaryId)
  const seen = new Set([start])
  const summaries: string[] = []
  const ranges: PositionRanges[] = []
  const walked: number[] = []
  let level = [start]
  for (let depth = 1; depth <= input.depth && level.length > 0; depth += 1) {
    for (const index of level) {
      walked.push(index)
      ranges.push(graph.nodes[index]?.directRanges ?? NO_POSITIONS)
    }
    level = level.flatMap((index) =>
      (graph.sources[index] ?? []).filter((source) => {
        if (seen.has(source)) return false
        seen.add(source)
        return graph.nodes[source]?.kind !== 'missing'
      }),
    )
    for (const index of level) summaries.push(graph.nodes[index]?.id ?? '')
  }
  if (!input.includeMessages) return { length: summaries.length, idAt: (index) => summaries[index] ?? '' }
  const strays = strayMessages(db, graph, walked, conversationIds)
  return concatenated(summaries, graph, unionOfRanges(ranges), strays)
}

function concatenated(
  summaries: readonly string[],
  graph: SummaryGraph,
  ranges: PositionRanges,
  strays: readonly number[],
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
    length: summaries.length + inConversation + strays.length,
    idAt: (index) => {
      if (index < summaries.length) return summaries[index] ?? ''
      const place = index - summaries.length
      const number = place < inConversation ? graph.history.ids[positionAt(place)] : strays[place - inConversation]
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
  items: Items,
  start: number,
  input: ExpandInput,
  countOf: CountTokens | undefined,
): Expansion {
  const end = Math.min(items.length, start + MAX_ITEMS)
  const ids = Array.from({ length: end - start }, (_, i) => items.idAt(start + i))
  const rows = readRows(db, ids)
  const texts = readTexts(db, rows, fittingIds(ids, rows, input.tokenCap))
  const expansion: Expansion = { nodes: [], messages: [], tokens: 0, truncated: false, next: [], tooLarge: [] }
  let at = start
  for (const id of ids) {
    const row = rows.get(id)
    const content = texts.get(id)
    const cost = row ? Math.max(costOf(row), content !== undefined && countOf ? countOf(content) : 0) : 0
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
    // At least one item was given or skipped: what does not fit into an empty page is too large for any.
    expansion.next.push(
      encodeCursor({ expand: summaryId, depth, messages: includeMessages, at, last: items.idAt(at - 1) }),
    )
  }
  return expansion
}

/** What fits by what the file says of it: no other text is read. */
function fittingIds(ids: readonly string[], rows: ReadonlyMap<string, Row>, cap: number): string[] {
  const fitting: string[] = []
  let tokens = 0
  for (const id of ids) {
    const row = rows.get(id)
    if (!row || costOf(row) > cap) continue
    tokens += costOf(row)
    if (tokens > cap) break
    fitting.push(id)
  }
  return fitting
}

function readTexts(db: ReadDb, rows: ReadonlyMap<string, Row>, ids: readonly string[]): Map<string, string> {
  const isMessage = (id: string): boolean => !('kind' in (rows.get(id) ?? {}))
  const numbers = ids.filter(isMessage).map((id) => Number(id.slice('msg_'.length)))
  const summaries = ids.filter((id) => !isMessage(id))
  return new Map<string, string>([
    ...db.iterateRaw<[string, string]>(queries.summaryTexts, { ids: JSON.stringify(summaries) }),
    ...db.iterateRaw<[string, string]>(queries.messageTexts, { ids: JSON.stringify(numbers) }),
  ])
}

function add(expansion: Expansion, row: SummaryRow | MessageRow, tokens: number, content: string): void {
  expansion.tokens += tokens
  if ('kind' in row) {
    const { id, kind, depth } = row
    expansion.nodes.push({ id, kind, depth, tokens, content })
    return
  }
  const { id, seq, createdAtMs } = row
  const role = ROLES.includes(row.role) ? row.role : 'system'
  expansion.messages.push({ id, seq, role, tokens, createdAtMs, content })
}

const costOf = (row: Row): number => (row.tokens > 0 ? row.tokens : Math.ceil(row.bytes / 4))

/** Summaries and messages by id, without their texts. */
function readRows(db: ReadDb, ids: readonly string[]): Map<string, SummaryRow | MessageRow> {
  const summaries = db.all<SummaryRow>(queries.summaries, { ids: JSON.stringify(ids) })
  const numbers = ids.filter((id) => id.startsWith('msg_')).map((id) => Number(id.slice('msg_'.length)))
  const messages = db.all<MessageRow>(queries.messages, { ids: JSON.stringify(numbers) })
  return new Map([...summaries, ...messages].map((row) => [row.id, row]))
}
