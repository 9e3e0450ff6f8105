import type { Role } from '../../contract/ids.ts'
import { isPlaceholder } from '../../ingest/transcripts/imported-node-text.ts'
import { positionCount } from '../../memory/position-ranges.ts'
import type { SummaryGraph } from '../../memory/summary-graph.ts'
import { shownValue } from '../../sqlite/native-values.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { messageNodeId } from '../../systems/node-id.ts'
import { strayMessages } from '../../systems/stray-messages.ts'
import type { SourceText } from './passage-index.ts'

const queries = {
  /** Texts that stand in the message's content are not repeated by its parts. */
  contents: /* sql */ `
    SELECT message_id, content FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  parts: /* sql */ `
    SELECT message_id, ordinal, tool_input, tool_output, CASE part_type WHEN 'reasoning' THEN text_content END
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND is_synthetic = 0
      AND (tool_input IS NOT NULL OR tool_output IS NOT NULL OR part_type = 'reasoning')
    ORDER BY message_id, ordinal`,
  summaries: /* sql */ `
    SELECT summary_id, content FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  cards: /* sql */ `
    SELECT 'msg_' || message_id AS id, 'message' AS kind, conversation_id AS conversationId, seq,
      ${shownValue('messages.role', 'messages')} AS role, NULL AS depth,
      created_at AS createdAtMs
    FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:numbers))
    UNION ALL
    SELECT summary_id, ${shownValue('summaries.kind', 'summaries')}, conversation_id, NULL, NULL, depth, created_at
    FROM summaries
    WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
}

/** What a list shows of a source. */
export type SourceCard = {
  readonly id: string
  readonly kind: 'message' | 'leaf' | 'condensed'
  readonly conversationId: number
  readonly seq: number | null
  readonly role: Role | null
  readonly depth: number | null
  readonly createdAtMs: number | null
}

/** What a summary rests on. */
export type ReachedSources = {
  /** Numbers of all messages that it stands for, in order. */
  readonly messages: readonly number[]
  /** Ids of the summaries that it was made from directly. */
  readonly summaries: readonly string[]
  /** Ids of the summary itself and of all summaries that it reaches. */
  readonly reached: readonly string[]
  /** Sources that are named, but not in the file: summaries and messages. */
  readonly missing: number
}

/** Everything that a summary reaches through its sources; cycles and dangling links end nothing but themselves. */
export function reachedSources(db: ReadDb, graph: SummaryGraph, start: number): ReachedSources {
  const reached = new Set([start])
  for (const index of reached) for (const source of graph.sources[index] ?? []) reached.add(source)
  const messages: number[] = []
  const ranges = graph.nodes[start]?.ranges ?? []
  for (let i = 0; i < ranges.length; i += 2) {
    for (const number of graph.history.ids.subarray(ranges[i], ranges[i + 1])) messages.push(number)
  }
  messages.push(...strayMessages(db, graph, [...reached]))
  const present = (index: number): string[] => {
    const node = graph.nodes[index]
    return node && node.kind !== 'missing' ? [node.id] : []
  }
  const summaries = (graph.sources[start] ?? []).filter((index) => index !== start).flatMap(present)
  return { messages, summaries, reached: [...reached].flatMap(present), missing: missingSources(graph, reached) }
}

/** Summaries and messages that are named on the way down and are nowhere in the file. */
function missingSources(graph: SummaryGraph, reached: ReadonlySet<number>): number {
  let missing = 0
  for (const index of reached) {
    const node = graph.nodes[index]
    if (!node || node.kind === 'missing') missing += 1
    else missing += Math.max(0, node.messageEdges - node.directStrays - positionCount(node.directRanges))
  }
  return missing
}

/** The texts of some messages: content, what tools were given and gave, reasoning. */
export function* messageTexts(db: ReadDb, numbers: readonly number[]): Generator<SourceText> {
  const ids = JSON.stringify(numbers)
  const parts = new Map<number, SourceText[]>()
  type PartRow = [number, number, string | null, string | null, string | null]
  for (const [number, part, input, output, reasoning] of db.iterateRaw<PartRow>(queries.parts, { ids })) {
    const list = parts.get(number) ?? []
    const add = (field: SourceText['field'], text: string | null): void => {
      if (text) list.push({ id: messageNodeId(number), kind: 'message', field, part, text })
    }
    add('tool_input', input)
    add('tool_output', output)
    add('reasoning', reasoning)
    parts.set(number, list)
  }
  const contents = new Map(db.iterateRaw<[number, string]>(queries.contents, { ids }))
  for (const number of numbers) {
    const text = contents.get(number)
    if (text) yield { id: messageNodeId(number), kind: 'message', field: 'content', part: null, text }
    yield* parts.get(number) ?? []
  }
}

/**
 * The texts of some summaries. Not those that an import put between for messages of which the agent wrote no summary
 * alone: nobody had them before the import.
 */
export function summaryTexts(db: ReadDb, ids: readonly string[]): SourceText[] {
  const found = new Map(db.iterateRaw<[string, string]>(queries.summaries, { ids: JSON.stringify(ids) }))
  return ids.flatMap((id): SourceText[] => {
    const text = found.get(id)
    return text && !isPlaceholder(text) ? [{ id, kind: 'summary', field: 'content', part: null, text }] : []
  })
}

/** What is shown of some sources, by id. */
export function sourceCards(db: ReadDb, ids: readonly string[]): Map<string, SourceCard> {
  const numbers = ids.filter((id) => id.startsWith('msg_')).map((id) => Number(id.slice('msg_'.length)))
  const rows = db.all<SourceCard>(queries.cards, { ids: JSON.stringify(ids), numbers: JSON.stringify(numbers) })
  return new Map(rows.map((row) => [row.id, row]))
}
