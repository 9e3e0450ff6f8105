import { SummaryLevel } from '../contract/ids.ts'
import type { Description, FileInfo } from '../contract/lineage.ts'
import { type GraphNode, type SummaryGraph, VISIBILITIES } from '../memory/summary-graph.ts'
import { shownValue } from '../sqlite/native-values.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { coversOfSummaries } from '../systems/covers.ts'
import type { HistoryIndex } from '../systems/history-index.ts'
import { readMessages } from '../systems/message-reader.ts'
import { type FoundNode, findNode, messageNodeId, notFound } from '../systems/node-id.ts'
import { cutText } from '../text.ts'
import { fileIdsIn, fileReferences } from './file-references.ts'
import { fileById } from './files.ts'

/** Sources named in a description. */
const MAX_SOURCES = 1000

const queries = {
  summary: /* sql */ `
    SELECT
      ${shownValue('summaries.kind', 'summaries')} AS kind,
      depth,
      token_count AS tokens,
      descendant_count AS descendantCount,
      earliest_at AS earliestAtMs,
      latest_at AS latestAtMs,
      created_at AS createdAtMs,
      level,
      model,
      prompt_version AS promptVersion,
      file_ids AS fileIds,
      content
    FROM summaries
    WHERE summary_id = :id`,
  sources: /* sql */ `
    SELECT source_summary_id, ordinal FROM summary_sources WHERE summary_id = :id
    UNION ALL
    SELECT 'msg_' || message_id, ordinal FROM summary_messages WHERE summary_id = :id
    ORDER BY 2
    LIMIT ${MAX_SOURCES}`,
  dependents: /* sql */ `
    SELECT summary_id FROM summary_sources WHERE source_summary_id = :id ORDER BY summary_id`,
  leaves: /* sql */ `
    SELECT summary_id FROM summary_messages WHERE message_id = :message ORDER BY summary_id`,
  /** The first item of the window that is one of some messages or summaries. */
  seen: /* sql */ `
    SELECT coalesce(summary_id, 'msg_' || message_id)
    FROM context_items
    WHERE conversation_id = :conversation
      AND (message_id IN (SELECT value FROM json_each(:messages)) OR summary_id IN (SELECT value FROM json_each(:summaries)))
    ORDER BY ordinal
    LIMIT 1`,
  /** 0-based place in the window; ordinals may have gaps. */
  place: /* sql */ `
    SELECT count(*)
    FROM context_items AS before
    JOIN (
      SELECT min(ordinal) AS ordinal FROM context_items
      WHERE conversation_id = :conversation AND (message_id = CAST(:message AS INTEGER) OR summary_id = :summary)
    ) AS item ON before.ordinal < item.ordinal
    WHERE before.conversation_id = :conversation`,
}

type SummaryRow = Pick<
  Description,
  'descendantCount' | 'earliestAtMs' | 'latestAtMs' | 'createdAtMs' | 'model' | 'promptVersion' | 'content' | 'tokens'
> & {
  readonly kind: 'leaf' | 'condensed'
  readonly depth: number
  readonly level: string | null
  readonly fileIds: string | null
}

/** Fields that do not apply. */
const NOTHING = {
  depth: null,
  role: null,
  seq: null,
  createdAtMs: null,
  earliestAtMs: null,
  latestAtMs: null,
  tokens: 0,
  sourceTokens: null,
  compression: null,
  descendantCount: null,
  messages: null,
  sources: [],
  sourceCount: 0,
  dependents: [],
  sourceRange: null,
  coveredBy: [],
  visibility: 'absent',
  inContext: false,
  contextOrdinal: null,
  coverInWindow: null,
  level: null,
  model: null,
  promptVersion: null,
  fileIds: [],
  file: null,
} as const satisfies Partial<Description>

/**
 * Everything known of a message, summary or file.
 * @param contentChars UTF-16 units of its text
 * @throws LcmError not_found
 */
export function describeNode(db: ReadDb, histories: HistoryIndex, id: string, contentChars: number): Description {
  return readSnapshot(db, () => {
    const node = findNode(db, id)
    switch (node.kind) {
      case 'message':
        return describeMessage(db, node, contentChars)
      case 'summary':
        return describeSummary(db, histories, node, contentChars)
      case 'file':
        return describeFile(db, node, contentChars)
    }
  })
}

function describeMessage(db: ReadDb, node: FoundNode & { kind: 'message' }, contentChars: number): Description {
  const message = readMessages(db, [node.messageId], contentChars).get(node.messageId)
  if (!message) throw notFound(db, node.id)
  return {
    ...NOTHING,
    id: node.id,
    kind: 'message',
    conversationId: node.conversationId,
    role: message.role,
    seq: message.seq,
    createdAtMs: message.createdAtMs,
    tokens: message.tokens,
    sources: [],
    dependents: db.column<string>(queries.leaves, { message: node.messageId }),
    coveredBy: message.coveredBy.map((cover) => cover.id),
    visibility: message.visibility,
    inContext: message.visibility === 'in_window',
    contextOrdinal: message.visibility === 'in_window' ? placeOf(db, node.conversationId, node.messageId, null) : null,
    coverInWindow: message.visibility === 'covered' ? firstInWindow(message.coveredBy) : null,
    fileIds: fileIdsIn(message.content).filter((id) => fileById(db, id) !== undefined),
    content: message.content,
    contentChars: message.contentChars,
    isCut: message.content.length < message.contentChars,
    ...(message.pruned ? { pruned: message.pruned } : {}),
  }
}

function describeSummary(
  db: ReadDb,
  histories: HistoryIndex,
  { id, conversationId }: FoundNode & { kind: 'summary' },
  contentChars: number,
): Description {
  const row = db.get<SummaryRow>(queries.summary, { id })
  const graph = histories.graph(conversationId)
  const index = graph.indexOf(id)
  const node = graph.nodes[index]
  if (!row || !node) throw notFound(db, id)
  const covers = coversOfSummaries(db, [{ id, conversationId }]).get(id) ?? []
  const visibility = VISIBILITIES[graph.nodeStates[index] ?? 0] ?? 'absent'
  const sourceTokens = graph.messageTokens(node)
  const times = timeSpan(graph, node)
  return {
    ...NOTHING,
    id,
    kind: row.kind,
    conversationId,
    depth: row.depth,
    createdAtMs: row.createdAtMs,
    earliestAtMs: times?.earliestAtMs ?? row.earliestAtMs,
    latestAtMs: times?.latestAtMs ?? row.latestAtMs,
    tokens: row.tokens,
    sourceTokens,
    compression: row.tokens > 0 && sourceTokens > 0 ? sourceTokens / row.tokens : null,
    descendantCount: row.descendantCount,
    messages: graph.messageCount(node),
    sources: db.column<string>(queries.sources, { id }),
    sourceCount: (graph.sources[index]?.length ?? 0) + node.messageEdges,
    dependents: db.column<string>(queries.dependents, { id }),
    sourceRange: graph.seqSpan(node),
    coveredBy: covers.map((cover) => cover.id),
    visibility,
    inContext: visibility === 'in_window',
    contextOrdinal: visibility === 'in_window' ? placeOf(db, conversationId, null, id) : null,
    coverInWindow: visibility === 'covered' ? firstInWindow(covers) : null,
    level: SummaryLevel.safeParse(row.level).data ?? 'unknown',
    model: row.model,
    promptVersion: row.promptVersion,
    fileIds: parseIds(row.fileIds),
    content: cutText(row.content, contentChars),
    contentChars: row.content.length,
    isCut: row.content.length > contentChars,
  }
}

function describeFile(db: ReadDb, node: FoundNode & { kind: 'file' }, contentChars: number): Description {
  const file = fileById(db, node.id)
  if (!file) throw notFound(db, node.id)
  const { summaries, messages } = fileReferences(db, node.id, node.conversationId)
  const carriers = { messages: JSON.stringify(messages), summaries: JSON.stringify(summaries.map(({ id }) => id)) }
  const coverInWindow = db.value<string>(queries.seen, { conversation: node.conversationId, ...carriers }) ?? null
  const content = file.explorationSummary ?? ''
  return {
    ...NOTHING,
    id: node.id,
    kind: 'file',
    conversationId: node.conversationId,
    createdAtMs: file.createdAtMs,
    sources: [],
    dependents: messages.map(messageNodeId),
    coveredBy: summaries.map(({ id }) => id),
    coverInWindow,
    visibility: coverInWindow === null ? 'absent' : 'covered',
    fileIds: [],
    content: cutText(content, contentChars),
    contentChars: content.length,
    isCut: content.length > contentChars,
    file: file satisfies FileInfo,
  }
}

function placeOf(db: ReadDb, conversation: number, message: number | null, summary: string | null): number | null {
  return db.value<number>(queries.place, { conversation, message, summary }) ?? null
}

const firstInWindow = (covers: readonly { id: string; inWindow: boolean }[]): string | null =>
  covers.find((cover) => cover.inWindow)?.id ?? null

/**
 * First and last time of the messages that a summary stands for. Stored ranges are wrong in some systems by the
 * writer's distance from UTC; the messages are not.
 */
function timeSpan(graph: SummaryGraph, node: GraphNode): { earliestAtMs: number; latestAtMs: number } | null {
  let earliestAtMs = Number.POSITIVE_INFINITY
  let latestAtMs = Number.NEGATIVE_INFINITY
  for (let i = 0; i < node.ranges.length; i += 2) {
    for (const time of graph.history.createdAtMs.subarray(node.ranges[i], node.ranges[i + 1])) {
      if (time < earliestAtMs) earliestAtMs = time
      if (time > latestAtMs) latestAtMs = time
    }
  }
  return earliestAtMs <= latestAtMs ? { earliestAtMs, latestAtMs } : null
}

/** A list that cannot be read is damage of this one column, which the integrity check reports. */
function parseIds(json: string | null): string[] {
  try {
    const ids: unknown = JSON.parse(json ?? '[]')
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string' && id !== '') : []
  } catch {
    return []
  }
}
